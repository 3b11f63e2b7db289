// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace redeliver::postgres {

struct TlsAdvice {
    std::string text;  ///< what was found beside libpq's own words; may be empty
    std::string hint;
};

/// Why a TLS step failed, from the options that libpq really used and the files they lead to: a root certificate in the
/// home folder that turns "require" into "verify-ca", one that is missing, a client key that others may read.
[[nodiscard]] TlsAdvice tlsAdvice(const std::map<std::string, std::string>& effective);

}  // namespace redeliver::postgres
