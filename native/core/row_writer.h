#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "bulk_store.h"
#include "plan.h"
#include "token_columns.h"

namespace rolltape {

/// Writes `length` tokens of a row whose sequence `tokens` holds. Outputs before `trainedFrom` are input to this row.
void writeRow(const TokenColumns& tokens, std::uint32_t trainedFrom, std::uint32_t length, const TokenColumns& out,
              const BulkStore& store);

/// Writes row `row` of the plan; `tokens` holds its sequence.
using RowWriter = std::function<void(std::size_t row, const TokenColumns& tokens)>;

/// Calls `write` once for each row, in an order that makes their sequences cheap, on up to `threads` threads, and ends
/// each thread's writes with `store.finish()`. `weights` is what writing each row costs, to share it evenly.
/// @throws std::bad_alloc
void writeRows(const Plan& plan, std::span<const std::uint64_t> weights, unsigned threads, const BulkStore& store,
               const RowWriter& write);

}  // namespace rolltape
