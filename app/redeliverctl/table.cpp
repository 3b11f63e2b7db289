// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::ctl {
namespace {

// Characters, not bytes; wide ones count once, which is what most terminals' fonts make of our own texts.
std::size_t widthOf(std::string_view text) noexcept {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t width = widthOf(m_columns[i].title);
        for (const auto& row : m_rows) {
            width = std::max(width, i < row.size() ? widthOf(row[i]) : 0);
        }
        widths.push_back(width);
    }
    std::string out;
    const auto line = [&](auto cellOf) {
        std::string text;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string cell = cellOf(i);
            const std::string pad(widths[i] - widthOf(cell), ' ');
            text += i == 0 ? "" : "  ";
            text += m_columns[i].align == Align::Right ? pad + cell : cell + pad;
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + '\n';
    };
    line([&](std::size_t i) { return m_columns[i].title; });
    for (const auto& row : m_rows) {
        line([&](std::size_t i) { return i < row.size() ? row[i] : std::string{}; });
    }
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace redeliver::ctl
