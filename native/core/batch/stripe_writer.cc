#include "stripe_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "pack/channels.h"
#include "pack/packed.h"
#include "pack/padded.h"
#include "pack/row_order.h"
#include "pack/row_tensors.h"

namespace rolltape {

namespace {

/// Returns the tensor with this name if it has a value per token.
std::optional<TokenTensor> tokenTensor(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, TokenTensor>, 6> tensors{{
      {"input_ids", TokenTensor::kInputIds},
      {"loss_mask", TokenTensor::kLossMask},
      {"logprobs", TokenTensor::kLogprobs},
      {"versions", TokenTensor::kVersions},
      {"position_ids", TokenTensor::kPositionIds},
      {"attention_mask", TokenTensor::kAttentionMask},
  }};
  const auto found = std::ranges::find(tensors, name, [](const auto& tensor) { return tensor.first; });
  if (found == tensors.end()) return std::nullopt;
  return found->second;
}

/// Returns how many tokens of a tensor lie before each row, and the number of all.
std::vector<std::uint64_t> tokenStarts(const Plan& plan) {
  const bool isPadded = plan.options().layout == Layout::kPadded;
  std::vector<std::uint64_t> starts{0};
  starts.reserve(plan.rows().size() + 1);
  for (const PlanRow& row : plan.rows())
    starts.push_back(starts.back() + (isPadded ? plan.shape().length : row.length));
  return starts;
}

std::vector<std::uint32_t> firstLeft(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> first = order;
  for (std::size_t i = first.size(); i > 1; --i) first[i - 2] = std::min(first[i - 2], first[i - 1]);
  return first;
}

}  // namespace

bool StripeWriter::canWrite(const Plan& plan) {
  return plan.options().layout != Layout::kTree;
}

StripeWriter::StripeWriter(const Plan& plan, const BatchLayout& layout, std::byte* block)
    : plan_(plan),
      layout_(layout),
      block_(block),
      order_(rowOrder(plan)),
      firstLeft_(firstLeft(order_)),
      starts_(tokenStarts(plan)) {}

std::uint64_t StripeWriter::write(std::uint64_t bytes) {
  const std::uint64_t target = std::min(written_ + std::min(bytes, layout_.totalBytes), layout_.totalBytes);
  if (written_ == 0) writeHeader();
  while (written_ < target) {
    const TensorPlace& place = layout_.tensors[tensor_];
    const bool hasRows = tokenTensor(place.spec.name) && rows_ < order_.size();
    if (hasRows) {
      writeRows(place, target - written_);
    } else {
      if (!hasOtherTensors_ && !tokenTensor(place.spec.name)) writeOtherTensors();
      ++tensor_;
      rows_ = 0;
      written_ = tensor_ == layout_.tensors.size() ? layout_.totalBytes : layout_.tensors[tensor_].offset;
    }
  }
  return written_;
}

void StripeWriter::writeHeader() {
  std::memcpy(block_, layout_.header.data(), layout_.header.size());
  // The rows of a packed batch are written where they start.
  if (plan_.options().layout == Layout::kPacked) writeRowStarts(plan_, BatchBlock(layout_, block_));
  written_ = layout_.header.size();
}

/// Writes `bytes` of a tensor with a value per token, in whole rows, or all that is left of it.
void StripeWriter::writeRows(const TensorPlace& place, std::uint64_t bytes) {
  const std::uint64_t size = dtypeBytes(place.spec.dtype);
  const std::size_t first = rows_;
  std::size_t end = first;
  for (std::uint64_t chosen = 0; end < order_.size() && chosen < bytes; ++end) {
    chosen += (starts_[order_[end] + 1] - starts_[order_[end]]) * size;
  }
  const TokenTensor tensor = *tokenTensor(place.spec.name);
  const BatchBlock batch(layout_, block_);
  const std::span<const std::uint32_t> rows(order_.data() + first, end - first);
  if (plan_.options().layout == Layout::kPacked) {
    writePackedRows(plan_, batch, tensor, rows);
  } else {
    writePaddedRows(plan_, batch, tensor, rows);
  }
  rows_ = end;
  const std::uint64_t before = end < order_.size() ? starts_[firstLeft_[end]] : starts_.back();
  written_ = place.offset + before * size;
}

void StripeWriter::writeOtherTensors() {
  const BatchBlock batch(layout_, block_);
  writeRewards(plan_, batch);
  writeRowTensors(plan_, layout_.labels, batch, 1);
  writeChannels(plan_, batch, 1);
  hasOtherTensors_ = true;
}

}  // namespace rolltape
