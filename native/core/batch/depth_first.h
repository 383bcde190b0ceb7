#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "../session/interaction.h"

namespace rolltape {

/// An interaction's place in a token forest, where it hangs from the interaction whose own tokens its shared part
/// reaches into last.
struct TreeNode {
  static constexpr std::uint32_t kNone = 0xffffffff;

  const Interaction* interaction;
  /// The node that it branches from, kNone for a root.
  std::uint32_t parent;
  /// The node after the last of its subtree.
  std::uint32_t end;
};

/// The interactions of one session in depth-first order: roots as they were recorded; the children of a node by where
/// they branch off, the last first, and as they were recorded where that is the same.
/// `interactions` is by rising index and holds the source of each.
std::vector<TreeNode> depthFirst(std::span<const Interaction* const> interactions);

}  // namespace rolltape
