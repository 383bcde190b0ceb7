#include "pack_tree.h"

#include <algorithm>

#include "parallel.h"

namespace rolltape {

namespace {

struct TreeTensors {
  TokenColumns tokens;
  std::int32_t* positionIds;
  std::int32_t* subtreeEnd;
  std::int32_t* cuTrees;
  std::int32_t* nodeOffsets;
  std::int32_t* nodeParents;
  std::int32_t* nodeLengths;
  float* nodeRewards;
};

void writeNodes(const Plan& plan, const TreeTensors& out) {
  std::int32_t offset = 0;
  std::int32_t* tree = out.cuTrees;
  for (std::size_t i = 0; i < plan.nodes().size(); ++i) {
    const TreeNode& node = plan.nodes()[i];
    if (node.parent == TreeNode::kNone) *tree++ = offset;
    out.nodeOffsets[i] = offset;
    out.nodeParents[i] = node.parent == TreeNode::kNone ? -1 : static_cast<std::int32_t>(node.parent);
    out.nodeLengths[i] = static_cast<std::int32_t>(node.interaction->sequenceLength());
    out.nodeRewards[i] = plan.rows()[i].reward;
    offset += static_cast<std::int32_t>(node.interaction->ownLength());
  }
  out.nodeOffsets[plan.nodes().size()] = offset;
  *tree = offset;
}

/// From its last token back: each child ends the stretch of tokens behind its branching point.
void writeSubtreeEnds(std::span<const TreeNode> nodes, std::uint32_t index, const TreeTensors& out,
                      const BulkStore& store) {
  const Interaction& own = *nodes[index].interaction;
  std::int32_t* first = out.subtreeEnd + out.nodeOffsets[index];
  std::uint32_t to = own.ownLength();
  std::int32_t end = out.nodeOffsets[index + 1];
  for (std::uint32_t child = index + 1; child < nodes[index].end; child = nodes[child].end) {
    const std::uint32_t branch = nodes[child].interaction->shared - own.shared;
    store.fill(first + branch, to - branch, end);
    to = branch;
    end = out.nodeOffsets[nodes[child].end];
  }
  store.fill(first, to, end);
}

void writeOwn(std::span<const TreeNode> nodes, std::uint32_t index, const TreeTensors& out, const BulkStore& store) {
  const Interaction& own = *nodes[index].interaction;
  const auto first = static_cast<std::size_t>(out.nodeOffsets[index]);
  writeOwnTokens(own, own.shared, own.sequenceLength(), out.tokens.from(first), store);
  store.countUp(out.positionIds + first, own.ownLength(), static_cast<std::int32_t>(own.shared));
  writeSubtreeEnds(nodes, index, out, store);
}

}  // namespace

void writeTree(const Plan& plan, const BatchBlock& block, unsigned threads) {
  const TreeTensors out{block.tokens(),
                        block.tensor<std::int32_t>("position_ids"),
                        block.tensor<std::int32_t>("subtree_end"),
                        block.tensor<std::int32_t>("cu_trees"),
                        block.tensor<std::int32_t>("node_offsets"),
                        block.tensor<std::int32_t>("node_parents"),
                        block.tensor<std::int32_t>("node_lengths"),
                        block.tensor<float>("node_rewards")};
  writeNodes(plan, out);
  const BulkStore store(block.size());
  const std::span<const TreeNode> nodes = plan.nodes();
  const std::span<const std::int32_t> starts(out.nodeOffsets, nodes.size());
  // A node belongs to the thread in whose part it starts. A node without tokens has nothing to write.
  parallelRanges(plan.shape().tokens, threads, [&](std::size_t begin, std::size_t end) {
    const auto first = std::ranges::lower_bound(starts, static_cast<std::int32_t>(begin)) - starts.begin();
    const auto last = std::ranges::lower_bound(starts, static_cast<std::int32_t>(end)) - starts.begin();
    for (auto i = first; i < last; ++i) writeOwn(nodes, static_cast<std::uint32_t>(i), out, store);
    store.finish();
  });
}

}  // namespace rolltape
