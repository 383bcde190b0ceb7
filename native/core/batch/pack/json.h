#pragma once

#include <span>
#include <string>

#include "../../../memory/heap_block.h"
#include "../plan.h"

namespace rolltape {

/// Writes parts[0], the tensor_dict of row 0, parts[1], …, the last part. A tensor_dict is a JSON object of input_ids,
/// loss_mask, logprobs, versions, attention_mask (shape [1, L]) and rewards ([1]), each
/// `{"type":"tensor","dtype":"torch.…","shape":[…],"data":"<base64, little endian>"}`.
/// @throws kInvalidArg unless there is one part more than rows, or for a plan that cannot be packed; kTooLarge,
/// kOutOfMemory.
HeapBlock packJson(const Plan& plan, std::span<const std::string> parts);

}  // namespace rolltape
