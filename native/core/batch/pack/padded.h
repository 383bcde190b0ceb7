#pragma once

#include "../plan.h"
#include "batch_block.h"
#include "row_schedule.h"

namespace rolltape {

/// Writes input_ids, loss_mask, logprobs, versions, attention_mask [B, T] and rewards [B]. Padding holds the pad token,
/// else 0, false, and -1 in versions.
void writePadded(const Plan& plan, const BatchBlock& block, unsigned threads,
                 PackedColumns columns = PackedColumns::kAll);

}  // namespace rolltape
