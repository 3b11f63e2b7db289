// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// A whole idempotent consumer: each message of the topic becomes one row of `payments`, however often it is delivered.
//   payments-consumer "host=db dbname=orders" broker:9092 payments
#include <core/base/error.h>
#include <core/service/idempotent_consumer.h>

#include <iostream>
#include <pqxx/pqxx>

using namespace redeliver;

int main(int count, char** arguments) {
    if (count != 4) {
        std::cerr << "usage: payments-consumer DSN BOOTSTRAP TOPIC\n";
        return 2;
    }
    IdempotentConsumerOptions options;
    options.name = "payments-handler";
    options.group = "payments";
    options.topics = {arguments[3]};
    options.messageId = {"header:message-id", "json:/message_id"};
    options.dsn = arguments[1];
    options.kafka = {{"bootstrap.servers", arguments[2]}};

    // Runs inside the transaction that also holds the marker: both are committed, or neither.
    const auto handle = [](pqxx::transaction_base& transaction, const consumer::Message& message) {
        transaction.exec("INSERT INTO payments (message_id, body) VALUES (" + transaction.quote(message.id.value()) +
                         ", " + transaction.quote(message.record.value.value_or("")) + ")");
        return consumer::done();
    };
    try {
        IdempotentConsumer(options, handle).runUntilSignal();
        return 0;
    } catch (const Error& error) {
        std::cerr << error.text() << "\n" << error.hint() << "\n";
        return 1;
    }
}
