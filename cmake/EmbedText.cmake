# SPDX-FileCopyrightText: Redeliver contributors
# SPDX-License-Identifier: Apache-2.0
#
# redeliver_embed_text(TARGET NAME files…): the files' texts as `redeliver::embedded::NAME`, a sorted array of {file name, text}.
set(REDELIVER_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)
function(redeliver_embed_text target name)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUT=${out} "-DFILES=${ARGN}" -P ${REDELIVER_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${REDELIVER_EMBED_SCRIPT} VERBATIM)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    target_sources(${target} PRIVATE ${out})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  endif()
endfunction()
