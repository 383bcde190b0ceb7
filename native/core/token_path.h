#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "token_columns.h"

namespace rolltape {

/// The sequence of one interaction as arrays, that moves from interaction to interaction: what two sequences share is
/// kept, so that a walk through a tree in depth-first order writes every token once, however deep the tree is.
class TokenPath {
 public:
  /// Holds the first `limit` tokens of a sequence. @throws std::bad_alloc
  explicit TokenPath(std::uint32_t limit);

  /// Makes the columns those of the interaction's sequence. Outputs of all ancestors count as outputs.
  void moveTo(const Interaction& interaction);
  const TokenColumns& columns() const { return columns_; }

 private:
  struct Step {
    const Interaction* interaction;
    /// Its own tokens are in the columns up to here.
    std::uint32_t written;
  };

  void collectMissing(const Interaction& interaction);
  void extend(Step& step, std::uint32_t to);

  std::uint32_t limit_;
  std::unique_ptr<std::int32_t[]> words_;
  std::unique_ptr<float[]> logprobs_;
  TokenColumns columns_;
  /// From the root down; each is the next one's source.
  std::vector<Step> steps_;
  /// From the interaction up.
  std::vector<const Interaction*> missing_;
};

}  // namespace rolltape
