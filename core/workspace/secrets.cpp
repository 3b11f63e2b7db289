// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/workspace.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace redeliver {
namespace {

Result<Secret> fromEnvironment(const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) {
        return failure({ErrorKind::BadInput, fmt::format("the environment variable {} is not set", name),
                        fmt::format("Set {} before you start the program.", name), "secret"});
    }
    return Secret{value};
}

// One line; its end belongs to the editor, not to the secret.
Result<Secret> fromFile(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    std::string line;
    if (!in || !std::getline(in, line)) {
        return failure({ErrorKind::BadInput, fmt::format("the secret file {} can't be read or is empty", path),
                        "Check the path and that this user may read it.", "secret"});
    }
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return Secret{std::move(line)};
}

}  // namespace

SecretReader plainSecretReader() {
    return [](const SecretSource& source) -> Result<Secret> {
        switch (source.from) {
            case SecretSource::From::Env:
                return fromEnvironment(source.name);
            case SecretSource::From::File:
                return fromFile(source.name);
            case SecretSource::From::Keyring:
                break;
        }
        return failure({ErrorKind::BadInput, fmt::format("the command line has no keyring (entry {})", source.name),
                        "Write { env = \"VARIABLE\" } or { file = \"PATH\" }, or use libpq's passfile or service file.",
                        "secret"});
    };
}

}  // namespace redeliver
