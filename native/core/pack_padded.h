#pragma once

#include "../memory/heap_block.h"
#include "plan.h"
#include "safetensors.h"

namespace rolltape {

/// A batch as one safetensors block.
struct PackedBlock {
  HeapBlock block;
  std::vector<TensorPlace> tensors;
};

/// Writes the padded batch: input_ids, loss_mask, versions I32 [B, T]; logprobs F32 [B, T]; rewards F32 [B];
/// attention_mask BOOL [B, T]. Padding holds the pad token, else 0, false, and -1 in versions. [0, 0] without rows.
/// @throws kInvalidArg for a plan that cannot be packed, kTooLarge, kOutOfMemory.
PackedBlock packPadded(const Plan& plan, const Metadata& metadata);

}  // namespace rolltape
