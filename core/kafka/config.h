// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/kafka/handles.h"

#include <map>
#include <string>
#include <string_view>

namespace redeliver::kafka {

enum class ClientRole { GroupMember, Reader, Producer, Admin };

using Properties = std::map<std::string, std::string>;

/// The librdkafka properties of one profile, secrets already resolved, checked by librdkafka itself. A value that holds
/// secrets: it is never printed, errors name the key and show values only of keys that can't hold one. Immutable.
class Config {
  public:
    /// BadInput names the first bad key. Refuses what a guarded consumer must own: enable.auto.commit,
    /// enable.auto.offset.store, enable.partition.eof, group.id, acks, enable.idempotence, transactional.id (the values
    /// that we use anyway are fine).
    [[nodiscard]] static Result<Config> make(Properties properties);

    [[nodiscard]] const Properties& properties() const noexcept { return m_properties; }
    [[nodiscard]] std::string get(std::string_view key) const;  ///< empty when not set
    [[nodiscard]] std::string bootstrap() const;
    [[nodiscard]] std::string securityProtocol() const;  ///< lower case; "plaintext" when not set
    [[nodiscard]] std::string mechanism() const;         ///< upper case; empty when not set

    /// A librdkafka configuration: our defaults for the role, then the profile's properties, then `own`, which win.
    /// Throws Error(BadInput) naming the key.
    [[nodiscard]] ConfHandle build(ClientRole role, const Properties& own) const;

  private:
    explicit Config(Properties properties) : m_properties(std::move(properties)) {}

    Properties m_properties;
};

/// True for keys whose value may be a secret: *password*, sasl.*, ssl.key*, *secret*, ssl.keystore*.
[[nodiscard]] bool mayHoldSecret(std::string_view key) noexcept;

/// "2.0.2": the linked library.
[[nodiscard]] std::string libraryVersion();
[[nodiscard]] bool libraryAtLeast(int major, int minor, int patch = 0) noexcept;

}  // namespace redeliver::kafka
