# SPDX-FileCopyrightText: Redeliver contributors
# SPDX-License-Identifier: Apache-2.0
set(body "// Generated from the files named below.\n#pragma once\n#include <string_view>\n#include <utility>\n\nnamespace redeliver::embedded {\ninline constexpr std::pair<std::string_view, std::string_view> ${NAME}[] = {\n")
list(SORT FILES)
foreach(file IN LISTS FILES)
  get_filename_component(base ${file} NAME)
  file(READ ${file} text)
  # A raw literal is limited to 64 KiB by some compilers; our files are far below.
  string(APPEND body "    {\"${base}\", R\"rdtext(${text})rdtext\"},\n")
endforeach()
if(NOT FILES)
  string(APPEND body "    {\"\", \"\"},\n")
endif()
string(APPEND body "};\n}  // namespace redeliver::embedded\n")
file(WRITE ${OUT} "${body}")
