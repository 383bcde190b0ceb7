#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interaction.h"

namespace rolltape {

/// A stretch of a row's tokens that lies together in memory.
struct RowSegment {
  const std::int32_t* ids;
  /// Null where the tokens are input to this row: not trained on.
  const float* logprobs;
  std::span<const VersionRun> versions;
  std::uint32_t length;
};

/// Which outputs of a row are trained on.
enum class RowStyle {
  /// The interaction's own.
  kIndividual,
  /// Its own and those of the ancestors that token-exact edges lead to.
  kConcat,
};

/// Sets `segments` to the first `length` tokens of the interaction's sequence, in order.
void rowSegments(const Interaction& interaction, RowStyle style, std::uint32_t length,
                 std::vector<RowSegment>& segments);

/// Where the tensors of one row are written, `length` values each.
struct RowOutput {
  std::int32_t* inputIds;
  std::int32_t* lossMask;
  float* logprobs;
  std::int32_t* versions;
};

/// Writes input_ids, loss_mask (1 at trained outputs, else 0), logprobs (else 0) and versions (else -1).
void writeRow(std::span<const RowSegment> segments, RowOutput out);

}  // namespace rolltape
