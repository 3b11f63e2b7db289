// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/content_hash.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace redeliver {

std::string contentHash(const Record& record) {
    if (!record.value) {
        return {};
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_Digest(record.value->data(), record.value->size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
        throw std::bad_alloc();  // SHA-256 itself can't fail
    }
    constexpr std::size_t kept = 16;
    std::string hash(kept, '\0');
    for (std::size_t i = 0; i < kept; ++i) {
        hash[i] = static_cast<char>(digest[i]);
    }
    return hash;
}

}  // namespace redeliver
