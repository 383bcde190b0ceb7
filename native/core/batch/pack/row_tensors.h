#pragma once

#include "../label_codes.h"
#include "../plan.h"
#include "batch_block.h"

namespace rolltape {

/// Writes the row columns `row_*` [B] and, if the plan has turns, `cu_turns` [B + 1] and the turn columns `turn_*`
/// [turns], on up to `threads` threads.
void writeRowTensors(const Plan& plan, const LabelCodes& codes, const BatchBlock& block, unsigned threads);

/// Writes `rewards` [B] of a padded or packed batch.
void writeRewards(const Plan& plan, const BatchBlock& block);

}  // namespace rolltape
