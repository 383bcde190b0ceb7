#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../filtered_turns.h"
#include "token_columns.h"

namespace rolltape {

/// The sequence of one interaction as arrays. The path moves from interaction to interaction and keeps what two
/// sequences share, so a depth-first walk through a tree writes every token once, however deep the tree is.
class TokenPath {
 public:
  enum class Holds {
    /// Only ids. The interaction's own outputs are read from its record.
    kIds,
    /// Also log probabilities and versions of the outputs of all ancestors.
    kOutputs,
  };

  /// Holds the first `limit` tokens of a sequence.
  /// @param filtered interactions whose outputs are not trained on; null: none
  /// @param written the path holds only what these tensors need
  /// @throws std::bad_alloc
  TokenPath(std::uint32_t limit, Holds holds, const FilteredTurns* filtered = nullptr,
            TokenTensor written = TokenTensor::kAll);

  /// Fills the columns with the interaction's sequence.
  void moveTo(const Interaction& interaction);
  /// Null if input_ids is not written.
  const std::int32_t* inputIds() const { return columns_.inputIds; }
  /// Writes the training columns of the first `length` tokens. Only outputs from `from` on are trained on. If the path
  /// holds only ids, `from` must not be before the interaction's own outputs.
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
  const FilteredTurns* filtered_;
  std::unique_ptr<std::int32_t[]> inputIds_;
  std::unique_ptr<std::int32_t[]> lossMask_;
  std::unique_ptr<float[]> logprobs_;
  std::unique_ptr<std::int32_t[]> versions_;
  TokenColumns columns_;
  TokenWriter writer_;
  /// The path from the root down. Each step is the source of the next one.
  std::vector<Step> steps_;
  /// Interactions that the path lacks, from the target up.
  std::vector<const Interaction*> missing_;
};

}  // namespace rolltape
