#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "batch.h"

namespace rolltape {

/// Writes a padded or packed batch from front to back in stripes, on one thread, so that what is written can be sent
/// meanwhile. All stripes together are the bytes that writeBatch() writes, in one pass over the rows for each tensor.
class StripeWriter {
 public:
  /// False for tree batches.
  static bool canWrite(const Plan& plan);

  /// All three must outlive the writer. `block` is as for writeBatch(), and nothing is written to it yet.
  /// @throws std::bad_alloc
  StripeWriter(const Plan& plan, const BatchLayout& layout, std::byte* block);

  /// Writes at least `bytes` more, or all that is left. Returns writtenBytes().
  /// @throws std::bad_alloc; the block's contents from writtenBytes() on are undefined then.
  std::uint64_t write(std::uint64_t bytes);
  /// Number of bytes at the start of the block that are complete and do not change any more.
  std::uint64_t writtenBytes() const { return written_; }

 private:
  void writeHeader();
  void writeRows(const TensorPlace& place, std::uint64_t bytes);
  void writeOtherTensors();

  const Plan& plan_;
  const BatchLayout& layout_;
  std::byte* block_;
  /// The plan's rows in the order of rowOrder().
  std::vector<std::uint32_t> order_;
  /// firstLeft_[i] is the smallest of order_[i], order_[i + 1], …: rows before it are written.
  std::vector<std::uint32_t> firstLeft_;
  /// By row, and the end of the last one: tokens before it in a tensor with a value per token.
  std::vector<std::uint64_t> starts_;
  std::uint64_t written_ = 0;
  /// The tensor that is written next.
  std::size_t tensor_ = 0;
  /// Rows of that tensor, in order_, that are written.
  std::size_t rows_ = 0;
  bool hasOtherTensors_ = false;
};

}  // namespace rolltape
