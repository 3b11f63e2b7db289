# SPDX-FileCopyrightText: Redeliver contributors
# SPDX-License-Identifier: Apache-2.0
#
# One static library per folder of core/: what a folder may see is what its target links.

# redeliver_component(FOLDER [PUBLIC targets…] [PRIVATE targets…]): all but lab and workspace are installed for services
# (find_package(Redeliver) → Redeliver::service).
function(redeliver_component folder)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.h)
  set(target redeliver_${folder})
  if(sources)
    add_library(${target} STATIC ${sources} ${headers})
    set(public PUBLIC)
    set(private PRIVATE)
  else()
    add_library(${target} INTERFACE)
    set(public INTERFACE)
    set(private INTERFACE)
  endif()
  add_library(Redeliver::${folder} ALIAS ${target})
  target_include_directories(${target} ${public}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/redeliver>)
  target_link_libraries(${target} ${public} ${ARG_PUBLIC} Threads::Threads ${private} $<BUILD_INTERFACE:redeliver_flags> ${ARG_PRIVATE})
  target_compile_features(${target} ${public} cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${folder} OUTPUT_NAME redeliver-${folder})
  if(NOT folder STREQUAL "lab" AND NOT folder STREQUAL "workspace")
    install(TARGETS ${target} EXPORT RedeliverTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/redeliver/core/${folder} COMPONENT development)
  endif()
endfunction()
