#include "pack_padded.h"

#include <algorithm>

#include "parallel.h"

namespace rolltape {

namespace {

/// The tensors' first elements.
struct PaddedTensors {
  RowOutput tokens;
  float* rewards;
  std::uint8_t* attentionMask;
};

template <typename T>
void pad(T* row, std::size_t from, std::size_t to, T value) {
  std::fill(row + from, row + to, value);
}

void packRow(const Plan& plan, std::size_t index, const PaddedTensors& out, std::vector<RowSegment>& segments) {
  const PlanRow& row = plan.rows()[index];
  const std::size_t width = plan.paddedLength();
  const std::size_t start = index * width;
  const bool left = plan.options().padSide == PadSide::kLeft;
  const std::size_t first = start + (left ? width - row.length : 0);
  const std::size_t padFrom = left ? start : start + row.length;
  const std::size_t padTo = left ? first : start + width;

  rowSegments(*row.interaction, plan.options().style, row.length, segments);
  const RowOutput& tokens = out.tokens;
  writeRow(segments,
           {tokens.inputIds + first, tokens.lossMask + first, tokens.logprobs + first, tokens.versions + first});
  pad(tokens.inputIds, padFrom, padTo, plan.options().padTokenId);
  pad(tokens.lossMask, padFrom, padTo, 0);
  pad(tokens.logprobs, padFrom, padTo, 0.0f);
  pad(tokens.versions, padFrom, padTo, -1);
  std::fill_n(out.attentionMask + first, row.length, std::uint8_t{1});
  pad(out.attentionMask, padFrom, padTo, std::uint8_t{0});
  out.rewards[index] = row.reward;
}

PaddedTensors tensorsOf(const BatchLayout& layout, std::byte* block) {
  const auto place = [&]<typename T>(std::size_t tensor, T) {
    return reinterpret_cast<T*>(block + layout.tensors[tensor].offset);
  };
  return {{place(0, std::int32_t{}), place(1, std::int32_t{}), place(2, float{}), place(3, std::int32_t{})},
          place(4, float{}),
          place(5, std::uint8_t{})};
}

}  // namespace

std::vector<TensorSpec> paddedSpecs(const Plan& plan) {
  const std::uint64_t rows = plan.rows().size();
  const std::vector<std::uint64_t> shape{rows, plan.paddedLength()};
  return {{"input_ids", Dtype::kI32, shape}, {"loss_mask", Dtype::kI32, shape},
          {"logprobs", Dtype::kF32, shape},  {"versions", Dtype::kI32, shape},
          {"rewards", Dtype::kF32, {rows}},  {"attention_mask", Dtype::kBool, shape}};
}

void writePadded(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads) {
  const PaddedTensors out = tensorsOf(layout, block);
  parallelRanges(plan.rows().size(), threads, [&](std::size_t begin, std::size_t end) {
    std::vector<RowSegment> segments;
    for (std::size_t index = begin; index < end; ++index) packRow(plan, index, out, segments);
  });
}

}  // namespace rolltape
