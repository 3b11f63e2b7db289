// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/consumer_info.h"
#include "core/workspace/progress.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver {

/// One step of the connection test (contract.md, doctor).
struct DoctorStep {
    std::string server;  ///< postgres | kafka
    std::string step;    ///< dns tcp tls login privilege schema settings …
    bool ok = false;
    std::string text;
    std::string hint;
};
struct DoctorReport {
    std::vector<DoctorStep> steps;
    bool reachable = true;  ///< both servers answered
    [[nodiscard]] bool ok() const noexcept;
};

struct MigrationStep {
    int version = 0;
    std::string name;
    std::string sql;
    int oldestClient = 0;  ///< the oldest schema version a client may have been built for and still use it
    bool applied = false;
};

/// Changes things in the database; refused (ErrorKind::Refused) on a read-only profile with what would lift it.
class ActionDesk {
  public:
    virtual ~ActionDesk() = default;
    virtual DoctorReport doctor(const ProgressSink& progress,
                                const std::stop_token& stop) = 0;  ///< allowed on read-only profiles
    virtual std::vector<MigrationStep> pendingMigrations() = 0;
    virtual std::vector<MigrationStep> migrate(const ProgressSink& progress) = 0;
    virtual std::vector<StoppedPartition> stoppedPartitions() = 0;
    virtual std::vector<PartitionState> partitions() = 0;
    virtual Result<void> retryPartition(const ConsumerName& consumer, const TopicPartition& tp) = 0;
    virtual Result<void> skipPartition(const ConsumerName& consumer, const TopicPartition& tp, Offset to,
                                       const std::string& reason) = 0;
    virtual std::vector<ConsumerInfo> consumers() = 0;
    virtual Result<void> setConsumer(const ConsumerInfo& info) = 0;
};

}  // namespace redeliver
