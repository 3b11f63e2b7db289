// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/config.h"
#include "core/model/ids.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::kafka {

/// One step of the connection test, in the order settings, dns, tcp, tls, login, brokers, privilege.
struct DiagnosisStep {
    std::string step;
    bool ok = false;
    std::string text;
    std::string hint;  ///< what to do; may also accompany an ok step
};

struct DiagnosisOptions {
    std::vector<Topic> topics;                      ///< must be readable
    std::vector<GroupName> groups;                  ///< must be describable
    std::chrono::milliseconds connectLimit{2'800};  ///< settings to login together
    std::chrono::milliseconds queryLimit{2'000};    ///< of each look-up after login
};

/// Tests the connection to Kafka and says what failed and what to do. The causes come from librdkafka's error callback,
/// the only place that knows them. Ends at the first failure before "privilege". Blocks at most connectLimit plus
/// queryLimit per look-up. Never throws.
[[nodiscard]] std::vector<DiagnosisStep> diagnose(const Config& config, const DiagnosisOptions& options,
                                                  const std::stop_token& stop);

/// Whether the servers answered and let us in, whatever is missing after that.
[[nodiscard]] bool reached(const std::vector<DiagnosisStep>& steps) noexcept;

/// Why a SCRAM login fails although the password is right: librdkafka before 2.6.1 against Kafka 4. Empty where that
/// can't be the cause.
[[nodiscard]] std::string scramHint(const Config& config);

}  // namespace redeliver::kafka
