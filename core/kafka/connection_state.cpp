// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/connection_state.h"

#include "core/kafka/errors.h"

#include <librdkafka/rdkafka.h>

namespace redeliver::kafka {
namespace {

int tellingRank(int code) {
    switch (code) {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
            return 5;
        case RD_KAFKA_RESP_ERR__SSL:
            return 4;
        case RD_KAFKA_RESP_ERR__RESOLVE:
            return 3;
        case RD_KAFKA_RESP_ERR__TRANSPORT:
            return 2;
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
            return 0;
        default:
            return 1;
    }
}

}  // namespace

void ConnectionState::failed(int code, std::string text) {
    const std::scoped_lock lock(m_mutex);
    ++m_errors;
    if (m_code == 0 || tellingRank(code) >= tellingRank(m_code)) {
        m_code = code;
        m_text = std::move(text);
    }
    if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || m_state == State::Unknown) {
        m_state = State::Down;
    }
}

void ConnectionState::worked() {
    const std::scoped_lock lock(m_mutex);
    m_state = State::Up;
    m_code = 0;
    m_text.clear();
}

void ConnectionState::setLoginHint(std::string hint) {
    const std::scoped_lock lock(m_mutex);
    m_loginHint = std::move(hint);
}

ConnectionState::State ConnectionState::state() const {
    const std::scoped_lock lock(m_mutex);
    return m_state;
}

std::optional<Error> ConnectionState::error() const {
    const std::scoped_lock lock(m_mutex);
    if (m_code == 0) {
        return std::nullopt;
    }
    const Error error = toError(m_code, {}, m_text);
    if (tellingRank(m_code) == 5 && !m_loginHint.empty()) {
        return Error(error.kind(), error.text(), m_loginHint, error.code(), error.retriable());
    }
    return error;
}

std::uint64_t ConnectionState::errors() const {
    const std::scoped_lock lock(m_mutex);
    return m_errors;
}

}  // namespace redeliver::kafka
