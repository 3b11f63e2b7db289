// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/backoff.h"

#include <algorithm>

namespace redeliver {

Duration Backoff::next(Entropy& entropy) {
    const Duration whole = m_next;
    m_next = std::min(m_most, m_next * 2);
    const auto half = static_cast<std::uint64_t>(std::max<Duration::rep>(whole.count() / 2, 1));
    return whole - Duration(static_cast<Duration::rep>(entropy.next() % (half + 1)));
}

}  // namespace redeliver
