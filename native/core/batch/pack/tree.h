#pragma once

#include "../plan.h"
#include "batch_block.h"

namespace rolltape {

/// Writes every token of the plan's token trees once, node after node in depth-first order (see depthFirst):
/// input_ids, loss_mask (1 at every output), logprobs, versions, position_ids (in its sequence) and subtree_end [N];
/// cu_trees [trees + 1], node_offsets [nodes + 1], node_parents, node_lengths and node_rewards [nodes].
///
/// A node's own tokens lie together, [node_offsets[i], node_offsets[i + 1]); what branches off follows, the deepest
/// branch first, so that subtree_end of a token is the end of all that branches off behind it: token j is one of the
/// sequence of token i iff j <= i < subtree_end[j].
void writeTree(const Plan& plan, const BatchBlock& block, unsigned threads);

}  // namespace rolltape
