#pragma once

#include <cstdint>
#include <span>

#include "../plan.h"
#include "batch_block.h"
#include "row_schedule.h"

namespace rolltape {

/// Writes the rows one after the other: input_ids, loss_mask, logprobs, versions, position_ids (from 0 in each row) and
/// attention_mask (true) [N]; cu_seqlens [B + 1], where each row starts and the last ends; rewards [B].
void writePacked(const Plan& plan, const BatchBlock& block, unsigned threads);

/// Writes cu_seqlens.
void writeRowStarts(const Plan& plan, const BatchBlock& block);

/// Writes one of the tensors with a value per token for some rows, given by their indices, on this thread. cu_seqlens
/// is written already. @throws std::bad_alloc
void writePackedRows(const Plan& plan, const BatchBlock& block, TokenTensor tensor,
                     std::span<const std::uint32_t> rows);

}  // namespace rolltape
