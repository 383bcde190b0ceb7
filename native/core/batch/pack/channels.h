#pragma once

#include "../plan.h"
#include "batch_block.h"

namespace rolltape {

/// Writes the tensors of all channels, on up to `threads` threads: the items of each token [tokens, …shape] and a mask
/// of the tokens that have one [tokens]; or, of a ragged channel, all items [items, …shape] and the number of items
/// before each token [tokens + 1]. Tokens without an item have zeros.
void writeChannels(const Plan& plan, const BatchBlock& block, unsigned threads);

}  // namespace rolltape
