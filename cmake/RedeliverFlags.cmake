# SPDX-FileCopyrightText: Redeliver contributors
# SPDX-License-Identifier: Apache-2.0
#
# Every flag lives in one of two INTERFACE targets: redeliver_flags (all code) and redeliver_qt_flags (window and tests).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

add_library(redeliver_flags INTERFACE)
target_compile_features(redeliver_flags INTERFACE cxx_std_20)
target_compile_options(redeliver_flags INTERFACE $<BUILD_INTERFACE:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast>)
if(REDELIVER_WERROR)
  target_compile_options(redeliver_flags INTERFACE $<BUILD_INTERFACE:-Werror>)
endif()
if(REDELIVER_SANITIZE)
  target_compile_options(redeliver_flags INTERFACE -fsanitize=${REDELIVER_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(redeliver_flags INTERFACE -fsanitize=${REDELIVER_SANITIZE})
endif()

add_library(redeliver_qt_flags INTERFACE)
target_link_libraries(redeliver_qt_flags INTERFACE redeliver_flags)
target_compile_definitions(redeliver_qt_flags INTERFACE
  QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY
  QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_USE_QSTRINGBUILDER QT_DISABLE_DEPRECATED_BEFORE=0x060400)
