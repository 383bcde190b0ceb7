#include "tree.h"

#include <algorithm>
#include <vector>

#include "../../base/parallel.h"

namespace rolltape {

namespace {

/// The tensors that have an entry per node or per tree.
struct NodeTensors {
  std::int32_t* cuTrees;
  std::int32_t* nodeOffsets;
  std::int32_t* nodeParents;
  std::int32_t* nodeLengths;
  float* nodeRewards;
};

void writeNodes(const Plan& plan, const NodeTensors& out) {
  std::int32_t offset = 0;
  std::int32_t* tree = out.cuTrees;
  for (std::size_t i = 0; i < plan.nodes().size(); ++i) {
    const TreeNode& node = plan.nodes()[i];
    if (node.parent == TreeNode::kNone) *tree++ = offset;
    out.nodeOffsets[i] = offset;
    out.nodeParents[i] = node.parent == TreeNode::kNone ? -1 : static_cast<std::int32_t>(node.parent);
    out.nodeLengths[i] = static_cast<std::int32_t>(node.interaction->sequenceLength());
    out.nodeRewards[i] = static_cast<float>(plan.rows()[i].reward);
    offset += static_cast<std::int32_t>(node.interaction->ownLength());
  }
  out.nodeOffsets[plan.nodes().size()] = offset;
  *tree = offset;
}

/// Writes the tokens of nodes, on one thread.
class TreeTokens {
 public:
  TreeTokens(const Plan& plan, const std::int32_t* nodeOffsets, const BatchBlock& block)
      : plan_(plan),
        nodes_(plan.nodes()),
        nodeOffsets_(nodeOffsets),
        tokens_(block.tokens(), block.isBulk()),
        positionIds_(block.tensor<std::int32_t>("position_ids"), block.isBulk()),
        subtreeEnd_(block.tensor<std::int32_t>("subtree_end"), block.isBulk()) {}

  void write(std::uint32_t index) {
    const Interaction& own = *nodes_[index].interaction;
    const auto first = static_cast<std::size_t>(nodeOffsets_[index]);
    tokens_.moveTo(first);
    const PlanRow& row = plan_.rows()[index];
    if (row.filtered || (row.leftOut && !plan_.options().includeLeftOut)) {
      tokens_.writeUntrained(own, own.shared, own.sequenceLength());
    } else {
      tokens_.writeOwn(own, own.shared, own.sequenceLength());
    }
    positionIds_.moveTo(first);
    positionIds_.countUp(static_cast<std::int32_t>(own.shared), own.ownLength());
    subtreeEnd_.moveTo(first);
    writeSubtreeEnds(index);
  }

  void finish() {
    tokens_.finish();
    positionIds_.finish();
    subtreeEnd_.finish();
  }

 private:
  /// Each child ends the stretch of tokens behind its branching point; the one that branches off last comes first.
  void writeSubtreeEnds(std::uint32_t index) {
    const Interaction& own = *nodes_[index].interaction;
    branches_.clear();
    for (std::uint32_t child = index + 1; child < nodes_[index].end; child = nodes_[child].end) {
      branches_.push_back({nodes_[child].interaction->shared - own.shared, nodeOffsets_[nodes_[child].end]});
    }
    std::uint32_t written = 0;
    for (auto branch = branches_.rbegin(); branch != branches_.rend(); ++branch) {
      subtreeEnd_.fill(branch->end, branch->at - written);
      written = branch->at;
    }
    subtreeEnd_.fill(nodeOffsets_[index + 1], own.ownLength() - written);
  }

  struct Branch {
    /// Own tokens before it.
    std::uint32_t at;
    std::int32_t end;
  };

  const Plan& plan_;
  std::span<const TreeNode> nodes_;
  const std::int32_t* nodeOffsets_;
  TokenWriter tokens_;
  ColumnWriter<std::int32_t> positionIds_;
  ColumnWriter<std::int32_t> subtreeEnd_;
  std::vector<Branch> branches_;
};

}  // namespace

void writeTree(const Plan& plan, const BatchBlock& block, unsigned threads) {
  const NodeTensors out{block.tensor<std::int32_t>("cu_trees"), block.tensor<std::int32_t>("node_offsets"),
                        block.tensor<std::int32_t>("node_parents"), block.tensor<std::int32_t>("node_lengths"),
                        block.tensor<float>("node_rewards")};
  writeNodes(plan, out);
  const std::span<const TreeNode> nodes = plan.nodes();
  const std::span<const std::int32_t> starts(out.nodeOffsets, nodes.size());
  // A node belongs to the thread in whose part it starts. A node without tokens has nothing to write.
  parallelRanges(plan.shape().tokens, threads, [&](std::size_t begin, std::size_t end) {
    const auto first = std::ranges::lower_bound(starts, static_cast<std::int32_t>(begin)) - starts.begin();
    const auto last = std::ranges::lower_bound(starts, static_cast<std::int32_t>(end)) - starts.begin();
    TreeTokens part(plan, out.nodeOffsets, block);
    for (auto i = first; i < last; ++i) part.write(static_cast<std::uint32_t>(i));
    part.finish();
  });
}

}  // namespace rolltape
