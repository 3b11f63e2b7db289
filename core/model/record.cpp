// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/record.h"

#include <array>

namespace redeliver {
namespace {

constexpr std::array<std::uint32_t, 256> crcTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value & 1U) != 0U ? 0xedb88320U ^ (value >> 1U) : value >> 1U;
        }
        table[i] = value;
    }
    return table;
}();

std::uint32_t addTo(std::uint32_t crc, std::string_view bytes) noexcept {
    for (const char byte : bytes) {
        crc = crcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (crc >> 8U);
    }
    return crc;
}

std::uint32_t addTo(std::uint32_t crc, const std::optional<std::string>& part) noexcept {
    crc = addTo(crc, std::string_view(part ? "\x01" : "\x02", 1));
    return part ? addTo(crc, std::string_view(*part)) : crc;
}

}  // namespace

std::optional<std::string_view> lastHeader(const Record& record, std::string_view name) noexcept {
    for (std::size_t i = record.headers.size(); i-- > 0;) {
        if (record.headers[i].name == name && record.headers[i].value) {
            return std::string_view(*record.headers[i].value);
        }
    }
    return std::nullopt;
}

std::uint32_t contentCrc(const Record& record) noexcept {
    return ~addTo(addTo(~0U, record.key), record.value);
}

}  // namespace redeliver
