#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "label_codes.h"
#include "plan.h"
#include "safetensors.h"

namespace rolltape {

/// Where everything of a batch lies in its block, which is one safetensors file.
struct BatchLayout : SafetensorsLayout {
  LabelCodes labels;
};

/// A tensor that does not follow from the plan: its bytes, in parts that lie one after the other.
struct GivenTensor {
  TensorSpec spec;
  std::vector<std::span<const std::uint8_t>> parts;
};

/// Header, tensors and size of the plan's batch, with the given tensors after those of the plan with the same
/// alignment. Metadata is UTF-8 with distinct keys; if the plan has row columns, `row_codes` with LabelCodes::json() is
/// added; if it has channels, `channels` with channelsJson().
/// @throws kInvalidArg for a plan that cannot be packed, if two tensors would have one name, or if the parts of a given
/// tensor have not as many bytes as its shape says; kTooLarge, also for a packed or tree batch of more tokens than its
/// int32 offsets can count.
BatchLayout layoutBatch(const Plan& plan, const Metadata& metadata, std::span<const GivenTensor> given = {});

/// Writes the bytes of the given tensors to their places in a block for `layout`.
void writeGiven(std::span<const GivenTensor> given, const BatchLayout& layout, std::byte* block);

/// Writes every byte of the batch that `layout` describes, except those of given tensors, to `block`, which has room
/// for `layout.totalBytes` and is aligned for any tensor, on up to `threads` threads, this one included. What the block
/// is made of is the caller's matter.
/// @throws std::bad_alloc; the block's contents are undefined then.
void writeBatch(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads);

}  // namespace rolltape
