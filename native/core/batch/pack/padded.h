#pragma once

#include <cstdint>
#include <span>

#include "../plan.h"
#include "batch_block.h"
#include "row_schedule.h"

namespace rolltape {

/// Writes input_ids, loss_mask, logprobs, versions, attention_mask [B, T] and rewards [B]. Padding holds the pad token,
/// else 0, false, and -1 in versions.
void writePadded(const Plan& plan, const BatchBlock& block, unsigned threads);

/// Writes one of these tensors for some rows, given by their indices, on this thread. @throws std::bad_alloc
void writePaddedRows(const Plan& plan, const BatchBlock& block, TokenTensor tensor,
                     std::span<const std::uint32_t> rows);

}  // namespace rolltape
