// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/connect_probe.h"
#include "core/postgres/doctor.h"

#include <string>
#include <vector>

/// The doctor's steps behind login, each on the open probe; a step that can't be answered in time says so.
namespace redeliver::postgres {

struct CheckContext {
    ConnectProbe& probe;
    std::string schema;
    bool writes = false;
    ConnectProbe::Deadline deadline;
};

void checkPrivileges(const CheckContext& context, std::vector<DiagnosisStep>& steps);
void checkVersion(const CheckContext& context, std::vector<DiagnosisStep>& steps);
void checkSettings(const CheckContext& context, std::vector<DiagnosisStep>& steps);
void checkReplica(const CheckContext& context, std::vector<DiagnosisStep>& steps);
void checkClock(const CheckContext& context, std::vector<DiagnosisStep>& steps);

/// "-c name=value --other=value" of the `options` keyword, in order.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> askedSettings(std::string_view options);

}  // namespace redeliver::postgres
