#pragma once

#include <cstddef>
#include <cstdint>

#include "label_codes.h"
#include "plan.h"
#include "safetensors.h"

namespace rolltape {

/// Where everything of a batch lies in its block, which is one safetensors file.
struct BatchLayout : SafetensorsLayout {
  LabelCodes labels;
};

/// Header, tensors and size of the plan's batch. Metadata is UTF-8 with distinct keys; if the plan has row columns,
/// `row_codes` with LabelCodes::json() is added; if it has channels, `channels` with channelsJson().
/// @throws kInvalidArg for a plan that cannot be packed; kTooLarge, also for a packed or tree batch of more tokens than
/// its int32 offsets can count.
BatchLayout layoutBatch(const Plan& plan, const Metadata& metadata);

/// Writes every byte of the batch that `layout` describes to `block`, which has room for `layout.totalBytes` and is
/// aligned for any tensor, on up to `threads` threads, this one included. What the block is made of is the caller's
/// matter.
/// @throws std::bad_alloc; the block's contents are undefined then.
void writeBatch(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads);

}  // namespace rolltape
