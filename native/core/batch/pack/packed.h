#pragma once

#include "../plan.h"
#include "batch_block.h"
#include "row_schedule.h"

namespace rolltape {

/// Writes the rows one after the other: input_ids, loss_mask, logprobs, versions, position_ids (from 0 in each row) and
/// attention_mask (true) [N]; cu_seqlens [B + 1], where each row starts and the last ends; rewards [B].
void writePacked(const Plan& plan, const BatchBlock& block, unsigned threads,
                 PackedColumns columns = PackedColumns::kAll);

}  // namespace rolltape
