// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace redeliver {

/// A value of type T that can't be confused with another one of the same T. `Tag` is any incomplete struct.
template <class Tag, class T>
class Strong {
  public:
    using Value = T;

    constexpr Strong() = default;
    constexpr explicit Strong(T value) : m_value(std::move(value)) {}

    [[nodiscard]] constexpr const T& value() const noexcept { return m_value; }
    friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
    friend constexpr bool operator==(const Strong&, const Strong&) = default;

  private:
    T m_value{};
};

}  // namespace redeliver

template <class Tag, class T>
struct std::hash<redeliver::Strong<Tag, T>> {
    std::size_t operator()(const redeliver::Strong<Tag, T>& strong) const noexcept {
        return std::hash<T>{}(strong.value());
    }
};
