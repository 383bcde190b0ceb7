#pragma once

#include <vector>

#include "batch.h"

namespace rolltape {

/// The padded batch's tensors: input_ids, loss_mask, versions I32 [B, T]; logprobs F32 [B, T]; rewards F32 [B];
/// attention_mask BOOL [B, T]. [0, 0] without rows.
std::vector<TensorSpec> paddedSpecs(const Plan& plan);

/// Writes the tensors. Padding holds the pad token, else 0, false, and -1 in versions.
void writePadded(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads);

}  // namespace rolltape
