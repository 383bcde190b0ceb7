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
  enum class Holds {
    /// Ids alone; the interaction's own outputs are read where they were recorded.
    kIds,
    /// Also what was recorded of the outputs of all ancestors.
    kOutputs,
  };

  /// Holds the first `limit` tokens of a sequence. @throws std::bad_alloc
  TokenPath(std::uint32_t limit, Holds holds);

  /// Makes the columns those of the interaction's sequence.
  void moveTo(const Interaction& interaction);
  const std::int32_t* inputIds() const { return columns_.inputIds; }
  /// Writes what is trained on of the first `length` tokens: outputs from `from` on, which is not before the
  /// interaction's own where the path holds ids alone.
  void writeTrained(std::uint32_t from, std::uint32_t length, TrainedColumns& out) const;

 private:
  struct Step {
    const Interaction* interaction;
    /// Its own tokens are in the columns up to here.
    std::uint32_t written;
  };

  void collectMissing(const Interaction& interaction);
  void extend(Step& step, std::uint32_t to);

  std::uint32_t limit_;
  Holds holds_;
  std::unique_ptr<std::int32_t[]> words_;
  std::unique_ptr<float[]> logprobs_;
  TokenColumns columns_;
  TokenWriter writer_;
  /// From the root down; each is the next one's source.
  std::vector<Step> steps_;
  /// From the interaction up.
  std::vector<const Interaction*> missing_;
};

}  // namespace rolltape
