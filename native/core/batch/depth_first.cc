#include "depth_first.h"

#include <algorithm>

namespace rolltape {

namespace {

using Places = std::vector<std::uint32_t>;

/// Children of every interaction by its place in the list, roots under the last one, in one array.
struct Children {
  Places starts;
  Places all;

  std::span<std::uint32_t> of(std::size_t place) {
    return {all.data() + starts[place], starts[place + 1] - starts[place]};
  }
};

/// The place of each interaction's source in the list, or its size for a root.
Places sourcePlaces(std::span<const Interaction* const> interactions) {
  const auto count = static_cast<std::uint32_t>(interactions.size());
  Places places(count == 0 ? 0 : interactions.back()->index + 1);
  Places sources(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Interaction& at = *interactions[i];
    places[at.index] = i;
    sources[i] = at.source == nullptr ? count : places[at.source->index];
  }
  return sources;
}

Children childrenOf(std::span<const Interaction* const> interactions) {
  const Places sources = sourcePlaces(interactions);
  Children children{Places(sources.size() + 2), Places(sources.size())};
  for (const std::uint32_t source : sources) ++children.starts[source + 1];
  for (std::size_t i = 1; i < children.starts.size(); ++i) children.starts[i] += children.starts[i - 1];
  Places next(children.starts.begin(), children.starts.end() - 1);
  for (std::uint32_t i = 0; i < sources.size(); ++i) children.all[next[sources[i]]++] = i;
  for (std::size_t place = 0; place < sources.size(); ++place) {
    std::ranges::sort(children.of(place), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t branchA = interactions[a]->shared;
      const std::uint32_t branchB = interactions[b]->shared;
      return branchA != branchB ? branchA > branchB : a < b;
    });
  }
  return children;
}

}  // namespace

std::vector<TreeNode> depthFirst(std::span<const Interaction* const> interactions) {
  struct Pending {
    std::uint32_t place;
    std::uint32_t parent;
  };
  Children children = childrenOf(interactions);
  std::vector<Pending> pending;
  const auto push = [&](std::size_t place, std::uint32_t parent) {
    const std::span<const std::uint32_t> below = children.of(place);
    for (std::size_t i = below.size(); i-- > 0;) pending.push_back({below[i], parent});
  };
  std::vector<TreeNode> nodes;
  nodes.reserve(interactions.size());
  push(interactions.size(), TreeNode::kNone);
  while (!pending.empty()) {
    const auto [place, parent] = pending.back();
    pending.pop_back();
    const auto node = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({interactions[place], parent, node + 1});
    push(place, node);
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const TreeNode& node = nodes[i];
    if (node.parent != TreeNode::kNone) nodes[node.parent].end = std::max(nodes[node.parent].end, node.end);
  }
  return nodes;
}

}  // namespace rolltape
