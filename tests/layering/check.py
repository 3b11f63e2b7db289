#!/usr/bin/env python3
# SPDX-FileCopyrightText: Redeliver contributors
# SPDX-License-Identifier: Apache-2.0
"""The rules of architecture that a script can see: who may include whom, which library shows where, and the size
walls. `check.py ROOT` prints every breach and ends with 1 when there is one; `check.py --self-test` shows that each
rule bites."""

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# A core folder may include these others (and itself). What isn't named here is forbidden.
CORE = {
    "base": set(),
    "model": {"base"},
    "ports": {"base", "model"},
    "identity": {"base", "model"},
    "query": {"base", "model"},
    "markers": {"base", "model", "ports"},
    "telemetry": {"base", "model", "ports"},
    "checklist": {"base", "model", "ports"},
    "consumer": {"base", "model", "ports", "identity", "telemetry"},
    "outbox": {"base", "model", "ports"},
    "replay": {"base", "model", "ports", "identity", "markers"},
    "postgres": {"base", "model", "ports", "query", "telemetry", "outbox", "markers", "consumer", "replay"},
    "kafka": {"base", "model", "ports"},
}
ANY_CORE = set(CORE) | {"service", "workspace"}
CORE["service"] = ANY_CORE
CORE["workspace"] = ANY_CORE
CORE["lab"] = ANY_CORE | {"lab"}
UI_MAY_SEE = {"base", "model", "query", "workspace", "telemetry", "identity", "replay", "markers", "checklist"}

LIBRARIES = {  # include prefix → (folders that may, headers too?)
    "pqxx/": ({"core/postgres", "core/service", "app/worker", "packaging/example"}, False),
    "librdkafka/": ({"core/kafka", "core/lab"}, False),
    "libpq-fe.h": ({"core/postgres", "core/lab"}, False),
    "CLI/": ({"app"}, True),
    "spdlog/": ({"core/base"}, False),
    "toml++/": ({"core/workspace"}, False),
    "nlohmann/": (None, False),
}
HEADERS_WITH_LIBRARY = {"core/postgres/pqxx_shim.h": "pqxx/", "core/postgres/pqxx_session.h": "pqxx/"}

MAX_SOURCE = 500
MAX_FUNCTION = 70
MAX_HEADER_MEDIAN = 80

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SPDX = ("SPDX-FileCopyrightText: Redeliver contributors", "SPDX-License-Identifier: ")


def within(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def licence_of(path):
    return "GPL-3.0-or-later" if within(path, {"ui", "app/window", "tests/ui"}) else "Apache-2.0"


def check_layers(path, included, quoted):
    """Rules 1, 3 and 4: arrows between our own folders, and no Qt in core."""
    top, folder = path.split("/")[0], (path.split("/") + [""])[1]
    if not quoted:
        if top == "core" and re.match(r"Q[A-Z]|Qt", included):
            yield "core knows no Qt"
        return
    parts = included.split("/")
    if len(parts) == 1:
        if top in ("core", "ui", "app") and not included.endswith((".moc",)) and not included.startswith("embedded_"):
            yield "includes go from the root: \"core/…\""
        return
    target = parts[0]
    if top == "core":
        if target in ("ui", "app", "tests"):
            yield "core doesn't look at " + target
        elif target == "core" and parts[1] != folder and parts[1] not in CORE.get(folder, set()):
            yield f"core/{folder} doesn't see core/{parts[1]}"
    elif top == "ui":
        if target in ("app", "tests"):
            yield "ui doesn't look at " + target
        elif target == "core" and parts[1] not in UI_MAY_SEE:
            yield f"ui doesn't see core/{parts[1]}"
    elif top == "app" and target == "tests":
        yield "app doesn't look at tests"


def check_libraries(path, included, quoted):
    """Rule 2: each library has its home, and public headers stay free of it."""
    if quoted or path.startswith("tests/"):
        return
    for prefix, (homes, headers) in LIBRARIES.items():
        if not included.startswith(prefix):
            continue
        if homes is not None and not within(path, homes):
            yield f"<{included}> only in " + ", ".join(sorted(homes))
        elif (path.endswith(".h") and not headers and not path.startswith("app/") and "_fwd" not in included
              and HEADERS_WITH_LIBRARY.get(path) != prefix):
            yield f"<{included}> not in a header"


def strip(text):
    """The text with comments, strings and raw strings blanked, line breaks kept."""
    def blank(match):
        found = match.group(0)
        return "\n" * found.count("\n") if found.startswith(("/", "R", "u8R")) else '""'
    return re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text)


def functions(text):
    """(first line, lines) of each outermost function body: a block whose head ends like a function's."""
    lines = strip(text).split("\n")
    stack, head, found = [], "", []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            continue
        for char in line:
            if char == "{":
                opened = head.strip()
                scope = re.search(r"\b(namespace|class|struct|enum|union)\b[^()]*$", opened) or opened.endswith("=")
                # Outermost only: lambdas count with the function they stand in.
                inside = any(kind == "function" for kind, _, _ in stack)
                is_function = not inside and not scope and ")" in opened
                stack.append(("function" if is_function else "other", number, opened))
                head = ""
            elif char == "}":
                if stack:
                    kind, first, _ = stack.pop()
                    if kind == "function":
                        found.append((first, number - first + 1))
                head = ""
            elif char == ";":
                head = ""
            else:
                head += char
        head += " "
    return found


def check_sizes(path, text):
    """Rule 14's walls, per file."""
    count = text.count("\n")
    if path.endswith(".cpp") and count > MAX_SOURCE:
        yield 1, f"{count} lines, the wall is {MAX_SOURCE}"
    for first, length in functions(text):
        if length > MAX_FUNCTION:
            yield first, f"a function of {length} lines, the wall is {MAX_FUNCTION}"


def check_spdx(path, text):
    head = text[:400]
    if not all(mark in head for mark in SPDX):
        yield "the two SPDX lines are missing"
    elif path.startswith(("core/", "ui/", "app/")) and licence_of(path) not in head:
        yield f"the licence here is {licence_of(path)}"


def check_file(path, text):
    breaches = [(1, what) for what in check_spdx(path, text)]
    if path.endswith((".cpp", ".h")):
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            quoted, included = match.group(1) == '"', match.group(2)
            for what in (*check_layers(path, included, quoted), *check_libraries(path, included, quoted)):
                breaches.append((line, what))
        if within(path, {"core"}) and re.search(r"\b(strtod|stod|atof|setlocale)\s*\(", strip(text)):
            breaches.append((1, "numbers never through the C locale"))
        if "exec_params" in strip(text) and path != "core/postgres/pqxx_shim.h":
            breaches.append((1, "exec_params only in the shim"))
        breaches += check_sizes(path, text)
    return breaches


def files_of(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()]
    return sorted({name for name in names
                   if name.endswith((".cpp", ".h", ".sql", ".py", ".sh")) and (root / name).is_file()
                   and not name.startswith("build/")})


def check(root):
    breaches, headers = [], []
    for name in files_of(root):
        text = (root / name).read_text(encoding="utf-8")
        breaches += [(name, line, what) for line, what in check_file(name, text)]
        if name.endswith(".h") and not name.startswith("tests/"):
            headers.append(text.count("\n"))
    if headers and statistics.median(headers) > MAX_HEADER_MEDIAN:
        breaches.append(("", 0, f"header median {statistics.median(headers)}, the wall is {MAX_HEADER_MEDIAN}"))
    return breaches


SELF_TEST = {  # file → (text after the SPDX lines, what must be said; nothing: clean)
    "core/base/a.cpp": ("#include <QString>\n", "core knows no Qt"),
    "core/base/b.h": ('#include "core/model/ids.h"\n', "core/base doesn't see core/model"),
    "core/consumer/c.cpp": ('#include "core/postgres/session.h"\n', "core/consumer doesn't see core/postgres"),
    "core/replay/d.cpp": ("#include <pqxx/pqxx>\n", "<pqxx/pqxx> only in"),
    "core/postgres/e.h": ("#include <pqxx/pqxx>\n", "not in a header"),
    "core/postgres/f.cpp": ("#include <librdkafka/rdkafka.h>\n", "<librdkafka/rdkafka.h> only in"),
    "core/postgres/g.cpp": ("void f() { t.exec_params(q); }\n", "exec_params only in the shim"),
    "ui/overview/h.cpp": ('#include "core/kafka/config.h"\n', "ui doesn't see core/kafka"),
    "ui/overview/i.cpp": ('#include "core/ports/clock.h"\n', "ui doesn't see core/ports"),
    "core/model/j.cpp": ('#include "ui/page.h"\n', "core doesn't look at ui"),
    "core/model/k.cpp": ("int x;\n" * 501, "the wall is 500"),
    "core/model/l.cpp": ("int f(int a) {\n" + "    a += 1;\n" * 70 + "    return a;\n}\n", "a function of 73 lines"),
    "core/model/m.cpp": ("C::C(int a) : m_a{a}, m_b(a) {\n" + "    f([&] { g(); });\n" * 71 + "}\n", "a function of 73"),
    "core/model/n.cpp": ('#include "ids.h"\n', "includes go from the root"),
    "core/model/o.cpp": ("double d = std::stod(text);\n", "C locale"),
    "core/model/clean.cpp": ('#include "core/base/time.h"\nnamespace a {\n'
                             + "struct S {\n" + "    int x = 0;\n" * 80 + "};\n"
                             + 'const char* sql = R"(\n' + "{\n" * 80 + ')";\n}\n', ""),
    "core/postgres/clean.cpp": ("#include <pqxx/pqxx>\n// exec_params( and std::stod( in a comment\n", ""),
}


def self_test():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, (text, _) in SELF_TEST.items():
            licence = licence_of(name)
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("// SPDX-FileCopyrightText: Redeliver contributors\n"
                            f"// SPDX-License-Identifier: {licence}\n{text}", encoding="utf-8")
        (root / "core/model/p.cpp").write_text("int x;\n", encoding="utf-8")
        (root / "ui/q.cpp").write_text("// SPDX-FileCopyrightText: Redeliver contributors\n"
                                       "// SPDX-License-Identifier: Apache-2.0\n", encoding="utf-8")
        said = {}
        for name, _, what in check(root):
            said.setdefault(name, []).append(what)
    expected = {name: what for name, (_, what) in SELF_TEST.items()}
    expected |= {"core/model/p.cpp": "SPDX lines are missing", "ui/q.cpp": "the licence here is GPL"}
    for name, what in expected.items():
        found = said.get(name, [])
        if (what == "" and found) or (what != "" and not any(what in one for one in found)):
            print(f"self-test: {name}: expected '{what}', got {found}")
            failures += 1
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    breaches = check(Path(sys.argv[1]))
    for name, line, what in breaches:
        print(f"{name}:{line}: {what}")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
