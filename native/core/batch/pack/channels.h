#pragma once

#include "../plan.h"
#include "batch_block.h"

namespace rolltape {

/// Writes the tensors of all channels, on up to `threads` threads:
/// - a fixed channel: the item of each token [tokens, …shape], or zeros, and a mask of tokens with an item [tokens]
/// - a ragged channel: all items [items, …shape], and the number of items before each token, then of all [tokens + 1]
void writeChannels(const Plan& plan, const BatchBlock& block, unsigned threads);

}  // namespace rolltape
