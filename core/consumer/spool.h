// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace redeliver::consumer {

/// An append-only queue in a file, for telemetry while the database is away: a length and a CRC before each payload, so
/// that a torn tail is recognised and cut. What was taken out, and the transaction under which the next one was being
/// sent, is kept beside it (".sent"), so that a payload is replayed once even when the process dies in between.
/// One process and one thread; a second process finds it locked and gets `usable() == false`.
/// Never throws: a full or broken disk makes append() say no.
class Spool {
  public:
    Spool(std::filesystem::path file, std::size_t maxBytes);
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    [[nodiscard]] bool usable() const noexcept { return m_fd >= 0; }
    [[nodiscard]] bool empty() const noexcept { return m_readAt >= m_size; }
    /// False: over the bound, or the disk refuses; the payload is lost and for the caller to count.
    bool append(const std::string& payload);
    /// The oldest payload not yet sent. A damaged one is skipped and counted.
    [[nodiscard]] std::optional<std::string> front();
    /// The transaction that carries front(); kept on disk before it commits. Empty: none.
    void setInFlight(const std::string& transaction);
    [[nodiscard]] const std::string& inFlight() const noexcept { return m_inFlight; }
    /// front() is in the database. Empties the files when it was the last one.
    void pop();
    [[nodiscard]] std::int64_t damaged() const noexcept { return m_damaged; }

  private:
    void writeState() noexcept;
    void readState();
    [[nodiscard]] std::filesystem::path statePath() const;

    std::filesystem::path m_file;
    std::size_t m_maxBytes;
    int m_fd = -1;
    std::int64_t m_size = 0;
    std::int64_t m_readAt = 0;
    std::int64_t m_nextAt = 0;  ///< behind front()
    std::string m_inFlight;
    std::int64_t m_damaged = 0;
};

}  // namespace redeliver::consumer
