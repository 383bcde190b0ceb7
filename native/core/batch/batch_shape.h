#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "channels.h"
#include "row_columns.h"
#include "safetensors.h"

namespace rolltape {

enum class Layout { kPadded, kPacked, kTree };

/// The extents that the tensors of a batch have.
struct BatchShape {
  Layout layout = Layout::kPadded;
  /// B; nodes of a tree batch.
  std::uint64_t rows = 0;
  /// T of a padded batch: the longest row, rounded up. Else the longest row.
  std::uint64_t length = 0;
  /// N, the flat dimension of all per-token tensors: B × T where padded.
  std::uint64_t tokens = 0;
  /// Roots of a tree batch.
  std::uint64_t trees = 0;
  std::span<const RowColumn> columns = {};
  /// Episodes of a batch with columns.
  std::uint64_t episodes = 0;
  bool hasTurns = false;
  /// Of all rows together.
  std::uint64_t turns = 0;
  /// Sorted by name.
  std::vector<BatchChannel> channels = {};
};

/// The tensors of a batch in the order in which they lie.
std::vector<TensorSpec> tensorSpecs(const BatchShape& shape);

/// Bytes of all tensors. @throws kTooLarge where that does not fit 64 bits.
std::uint64_t tensorBytes(const BatchShape& shape);

}  // namespace rolltape
