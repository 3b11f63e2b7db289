// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/sql.h"

/// The statements of the guarded consumer (architecture rule 10). Everything outside :schema is qualified, since a
/// handler's search_path stays what it is.
namespace redeliver::postgres::guard_sql {

extern const Sql claimFormer;
extern const Sql claim;
extern const Sql existing;
extern const Sql seenAgain;
extern const Sql withdraw;
extern const Sql check;
extern const Sql advance;
extern const Sql refused;

extern const Sql registerConsumer;
extern const Sql takeOwn;
extern const Sql takeFormer;
extern const Sql positions;
extern const Sql ledgers;
extern const Sql known;
extern const Sql adoptOwned;
extern const Sql adoptOther;
extern const Sql adoptLedger;
extern const Sql lostBeforeUnknown;
extern const Sql lossHighest;
extern const Sql lossBefore;
extern const Sql stop;
extern const Sql requests;
extern const Sql release;
extern const Sql acked;
extern const Sql transactionId;
extern const Sql transactionStatus;

}  // namespace redeliver::postgres::guard_sql
