// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/record.h"

#include <string>

namespace redeliver::consumer {

/// Why a record is put aside.
struct Rejection {
    std::string code;  ///< no-identity, rejected, an SQLSTATE …
    std::string text;
    int attempts = 1;
};

/// The dead letter of a record: key, value and headers byte-exact and in order (older ones of ours removed), then whose
/// it is, where it came from, why and after how many tries. It keeps its source's first ancestor in redeliver-origin
/// and its replay id, but is addressed to nobody: redeliver-only is removed.
[[nodiscard]] OutgoingRecord deadLetterOf(const ConsumerInfo& consumer, const ClusterId& cluster, const Record& record,
                                          const Rejection& why);

}  // namespace redeliver::consumer
