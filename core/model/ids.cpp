// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/ids.h"

#include <fmt/format.h>

namespace redeliver {

bool sameRecord(const Coordinates& a, const Coordinates& b) noexcept {
    const bool sameLog = a.cluster.value().empty() || b.cluster.value().empty() || a.cluster == b.cluster;
    return sameLog && a.topic == b.topic && a.partition == b.partition && a.offset == b.offset;
}

std::string toText(const Coordinates& at) {
    return fmt::format("{}/{}/{}", at.topic.value(), at.partition.value(), at.offset.value());
}

}  // namespace redeliver
