// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace redeliver::lab {

/// A throw-away certificate authority and one server certificate for localhost and 127.0.0.1, valid for 30 days.
struct Certificates {
    std::filesystem::path ca;           ///< ca.pem: what a client trusts
    std::filesystem::path certificate;  ///< server.pem
    std::filesystem::path key;          ///< server.key, mode 0600, no passphrase
    std::filesystem::path keystore;     ///< server.p12 with certificate and key, for Java
    std::string keystorePassword;
};

/// Makes them in `folder` with the openssl program; throws Error when it isn't installed or fails.
[[nodiscard]] Certificates makeCertificates(const std::filesystem::path& folder);

}  // namespace redeliver::lab
