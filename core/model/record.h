// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/ids.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

/// A header as the broker has it: names may repeat, order matters, a null value is not an empty one.
struct Header {
    std::string name;
    std::optional<std::string> value;
    friend bool operator==(const Header&, const Header&) = default;
};

enum class TimestampType { None, CreateTime, LogAppendTime };

/// One record, byte-exact: null and empty key or value differ.
struct Record {
    TopicPartition tp;
    Offset offset;
    std::optional<TimePoint> timestamp;  ///< millisecond precision; absent for −1
    TimestampType timestampType = TimestampType::None;
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<Header> headers;
    friend bool operator==(const Record&, const Record&) = default;
};

/// Record headers that Redeliver writes (contract.md).
namespace header {
inline constexpr std::string_view replay = "redeliver-replay";
inline constexpr std::string_view source = "redeliver-source";
inline constexpr std::string_view origin = "redeliver-origin";
inline constexpr std::string_view sourceTimestamp = "redeliver-source-timestamp";
inline constexpr std::string_view only = "redeliver-only";
inline constexpr std::string_view target = "redeliver-target";
inline constexpr std::string_view error = "redeliver-error";  ///< dead letter: why
inline constexpr std::string_view errorCode = "redeliver-error-code";
inline constexpr std::string_view deadLetterConsumer = "redeliver-consumer";  ///< dead letter: whose
inline constexpr std::string_view attempts = "redeliver-attempts";
}  // namespace header

/// The last header of that name with a value, or nothing.
[[nodiscard]] std::optional<std::string_view> lastHeader(const Record& record, std::string_view name) noexcept;

/// A record to produce. `partition` absent: the partitioner (murmur2, as Java's) decides.
struct OutgoingRecord {
    Topic topic;
    std::optional<Partition> partition;
    std::optional<TimePoint> timestamp;  ///< absent: the broker's or library's present time
    std::optional<std::string> key;
    std::optional<std::string> value;
    std::vector<Header> headers;
};

/// CRC-32 (IEEE) over key, value and their nullness: with the timestamp, the fingerprint of "the last record read".
[[nodiscard]] std::uint32_t contentCrc(const Record& record) noexcept;

}  // namespace redeliver
