// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace redeliver::lab {

/// Whether something accepts connections on 127.0.0.1:port right now.
[[nodiscard]] bool portAnswers(int port);

/// Whether a broker answers a metadata request within `limit` and names itself a member of its cluster. Quiet: the
/// client library logs nothing.
[[nodiscard]] bool brokerAnswers(const std::string& bootstrap, std::chrono::milliseconds limit);

/// Creates a topic through the admin API and waits until its leaders are known; throws Error with librdkafka's name as
/// code (an existing topic is an error too).
void createTopic(const std::string& bootstrap, const std::string& topic, int partitions,
                 const std::map<std::string, std::string>& configs = {});

}  // namespace redeliver::lab
