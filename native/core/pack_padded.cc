#include "pack_padded.h"

#include <vector>

#include "row_writer.h"

namespace rolltape {

namespace {

struct PaddedTensors {
  TokenColumns tokens;
  float* rewards;
  std::uint8_t* attentionMask;
};

void writePadding(std::size_t from, std::size_t count, std::int32_t padTokenId, const PaddedTensors& out,
                  const BulkStore& store) {
  const TokenColumns to = out.tokens.from(from);
  store.fill(to.inputIds, count, padTokenId);
  store.fill(to.lossMask, count, 0);
  store.fill(to.logprobs, count, 0.0f);
  store.fill(to.versions, count, kNoVersion);
  store.fill(out.attentionMask + from, count, std::uint8_t{0});
}

}  // namespace

void writePadded(const Plan& plan, const BatchBlock& block, unsigned threads) {
  const PaddedTensors out{block.tokens(), block.tensor<float>("rewards"), block.tensor<std::uint8_t>("attention_mask")};
  const BulkStore store(block.size());
  const std::size_t width = plan.shape().length;
  const bool left = plan.options().padSide == PadSide::kLeft;
  const std::vector<std::uint64_t> weights(plan.rows().size(), width);
  writeRows(plan, weights, threads, store, [&](std::size_t index, const TokenColumns& tokens) {
    const PlanRow& row = plan.rows()[index];
    const std::size_t padding = width - row.length;
    const std::size_t first = index * width + (left ? padding : 0);
    writeRow(tokens, plan.trainedFrom(row), row.length, out.tokens.from(first), store);
    store.fill(out.attentionMask + first, row.length, std::uint8_t{1});
    writePadding(left ? index * width : first + row.length, padding, plan.options().padTokenId, out, store);
    out.rewards[index] = row.reward;
  });
}

}  // namespace rolltape
