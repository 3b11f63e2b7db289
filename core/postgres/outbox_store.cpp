// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/outbox_store.h"

#include "core/base/text.h"
#include "core/postgres/outbox_writer.h"
#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

namespace redeliver::postgres {
namespace {

/// A page's values in memory: rows beyond it wait for the next one.
constexpr std::int64_t mostPageBytes = std::int64_t{16} * 1024 * 1024;

constexpr Sql lockOutbox{"outbox.lock",
                         "SELECT pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))"};
constexpr Sql pendingRows{
    "outbox.pending",
    "SELECT outbox_id, message_id, topic, key, value, header_names, "
    "ARRAY(SELECT pg_catalog.encode(v, 'hex') FROM unnest(header_values) WITH ORDINALITY AS u(v, n) ORDER BY n) AS "
    "header_hex, attempts "
    "FROM (SELECT o.*, sum(coalesce(octet_length(o.value), 0)) OVER (ORDER BY o.outbox_id) AS bytes, "
    "             row_number() OVER (ORDER BY o.outbox_id) AS n "
    "      FROM (SELECT * FROM :schema.outbox WHERE published_at IS NULL AND outbox_id > $1::bigint "
    "            ORDER BY outbox_id LIMIT $2::bigint) o) page "
    "WHERE bytes <= $3::bigint OR n = 1 ORDER BY outbox_id"};
constexpr Sql markSent{"outbox.sent",
                       "UPDATE :schema.outbox o SET published_at = clock_timestamp(), published_partition = u.part, "
                       "published_offset = u.off, last_error = NULL "
                       "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u(id, part, off) "
                       "WHERE o.outbox_id = u.id"};
constexpr Sql markFailed{"outbox.failed",
                         "UPDATE :schema.outbox o SET attempts = o.attempts + 1, last_error = u.error "
                         "FROM unnest($1::bigint[], $2::text[]) AS u(id, error) WHERE o.outbox_id = u.id"};
constexpr Sql insertRow{"outbox.add",
                        "INSERT INTO :schema.outbox (message_id, topic, key, value, header_names, header_values) "
                        "VALUES ($1, $2, $3::pg_catalog.bytea, $4::pg_catalog.bytea, $5::pg_catalog.text[], "
                        "$6::pg_catalog.bytea[]) RETURNING outbox_id"};
constexpr std::string_view statusText =
    "SELECT count(*), max({}), count(*) FILTER (WHERE attempts > 0), "
    "(SELECT last_error FROM :schema.outbox WHERE published_at IS NULL AND attempts > 0 ORDER BY outbox_id LIMIT 1), "
    "(SELECT {} FROM :schema.outbox WHERE published_at IS NOT NULL ORDER BY outbox_id DESC LIMIT 1) "
    "FROM :schema.outbox WHERE published_at IS NULL";

std::optional<std::string> bytesOfHex(const std::optional<std::string>& hex) {
    if (!hex) {
        return std::nullopt;
    }
    std::string bytes;
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (std::size_t i = 0; i + 1 < hex->size(); i += 2) {
        bytes += static_cast<char>(digit((*hex)[i]) * 16 + digit((*hex)[i + 1]));
    }
    return bytes;
}

outbox::PendingMessage messageOf(const pqxx::row& row) {
    outbox::PendingMessage message;
    message.row = int64Of(row[0]);
    message.id = MessageId(textOf(row[1]));
    message.record.topic = Topic(textOf(row[2]));
    message.record.key = maybeBytes(row[3]);
    message.record.value = maybeBytes(row[4]);
    const auto names = arrayOf(row[5]);
    const auto values = arrayOf(row[6]);
    for (std::size_t i = 0; i < names.size(); ++i) {
        // A list that is shorter, written by a foreign program, leaves null values.
        message.record.headers.push_back(
            {names[i].value_or(""), i < values.size() ? bytesOfHex(values[i]) : std::nullopt});
    }
    message.attempts = int32Of(row[7]);
    return message;
}

void check(const OutgoingRecord& record, const MessageId& id) {
    const std::string& text = id.value();
    if (text.empty() || text.size() > maxMessageIdBytes || text.find('\0') != std::string::npos || !isValidUtf8(text)) {
        throw Error(ErrorKind::BadInput, "outbox: the message ID is empty, over 1,024 bytes, not UTF-8, or holds NUL",
                    "derive it from the message at hand", "bad-message-id");
    }
    if (record.topic.value().empty()) {
        throw Error(ErrorKind::BadInput, "outbox: no topic", {}, "bad-record");
    }
    if (record.partition || record.timestamp) {
        throw Error(ErrorKind::BadInput, "outbox: a message can't choose its partition or time",
                    "give it a key: equal keys keep their order", "bad-record");
    }
}

}  // namespace

std::int64_t OutboxWriter::add(pqxx::transaction_base& transaction, const OutgoingRecord& record,
                               const MessageId& id) const {
    check(record, id);
    std::vector<std::optional<std::string>> names;
    std::vector<std::optional<std::string>> values;
    for (const Header& header : record.headers) {
        if (!isValidUtf8(header.name) || header.name.find('\0') != std::string::npos) {
            throw Error(ErrorKind::BadInput, "outbox: a header's name is not UTF-8 or holds NUL", {}, "bad-record");
        }
        names.emplace_back(header.name);
        values.push_back(header.value ? std::optional(byteaText(*header.value)) : std::nullopt);
    }
    SqlParams params;
    params.add(id.value()).add(record.topic.value());
    record.key ? params.addBytes(*record.key) : params.addNull();
    record.value ? params.addBytes(*record.value) : params.addNull();
    params.addArray(names).addArray(values);
    const pqxx::result added = shim::run(transaction, withSchema(insertRow.text, m_schema), params.texts());
    return int64Of(added[0][0]);
}

PgOutboxStore::PgOutboxStore(Session& session) : m_session(session) {}

PgOutboxStore::~PgOutboxStore() = default;

std::optional<std::vector<outbox::PendingMessage>> PgOutboxStore::claim(std::int64_t after, std::size_t most,
                                                                        const std::stop_token& /*stop*/) {
    if (!m_claim) {
        // Idle while the broker is asked; longer than a record may take there.
        m_claim = std::make_unique<PinnedTransaction>(
            m_session, TransactionOptions{.readOnly = false, .idleTimeout = std::chrono::milliseconds(120'000)});
        const std::string name = "redeliver outbox " + m_session.options().schema;
        if (!boolOf(m_claim->run(lockOutbox, SqlParams{}.add(name))[0][0])) {
            m_claim.reset();
            return std::nullopt;
        }
    }
    const pqxx::result rows =
        m_claim->run(pendingRows, SqlParams{}.add(after).add(static_cast<std::int64_t>(most)).add(mostPageBytes));
    std::vector<outbox::PendingMessage> messages;
    messages.reserve(static_cast<std::size_t>(rows.size()));
    for (const auto& row : rows) {
        messages.push_back(messageOf(row));
    }
    return messages;
}

void PgOutboxStore::settle(std::span<const outbox::SentMessage> sent, std::span<const outbox::FailedMessage> failed) {
    if (!sent.empty()) {
        std::vector<std::int64_t> rows;
        std::vector<std::int64_t> partitions;
        std::vector<std::int64_t> offsets;
        for (const outbox::SentMessage& message : sent) {
            rows.push_back(message.row);
            partitions.push_back(message.partition.value());
            offsets.push_back(message.offset.value());
        }
        m_claim->run(markSent, SqlParams{}.addArray(rows).addArray(partitions).addArray(offsets));
    }
    if (!failed.empty()) {
        std::vector<std::int64_t> rows;
        std::vector<std::string> errors;
        for (const outbox::FailedMessage& message : failed) {
            rows.push_back(message.row);
            errors.push_back(message.error);
        }
        m_claim->run(markFailed, SqlParams{}.addArray(rows).addArray(std::span<const std::string>(errors)));
    }
    m_claim->commit();
    m_claim.reset();
}

void PgOutboxStore::release() noexcept {
    m_claim.reset();
}

outbox::Status PgOutboxStore::status() {
    PinnedTransaction transaction(m_session);
    const std::string text =
        fmt::format(fmt::runtime(statusText), microsOf("clock_timestamp() - created_at"), microsOf("published_at"));
    const pqxx::result rows = transaction.run({"outbox.status", text});
    const auto row = rows[0];
    return {int64Of(row[0]), maybeDuration(row[1]), int64Of(row[2]), maybeText(row[3]).value_or(""), maybeTime(row[4])};
}

}  // namespace redeliver::postgres
