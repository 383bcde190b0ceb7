#include "pack_packed.h"

#include <vector>

#include "row_writer.h"

namespace rolltape {

void writePacked(const Plan& plan, const BatchBlock& block, unsigned threads) {
  const std::span<const PlanRow> rows = plan.rows();
  const TokenColumns out = block.tokens();
  auto* positionIds = block.tensor<std::int32_t>("position_ids");
  auto* cuSeqlens = block.tensor<std::int32_t>("cu_seqlens");
  auto* rewards = block.tensor<float>("rewards");
  auto* attentionMask = block.tensor<std::uint8_t>("attention_mask");
  const BulkStore store(block.size());

  std::vector<std::uint64_t> lengths;
  lengths.reserve(rows.size());
  cuSeqlens[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lengths.push_back(rows[i].length);
    cuSeqlens[i + 1] = cuSeqlens[i] + static_cast<std::int32_t>(rows[i].length);
    rewards[i] = rows[i].reward;
  }
  writeRows(plan, lengths, threads, store, [&](std::size_t index, const TokenColumns& tokens) {
    const PlanRow& row = rows[index];
    const auto first = static_cast<std::size_t>(cuSeqlens[index]);
    writeRow(tokens, plan.trainedFrom(row), row.length, out.from(first), store);
    store.countUp(positionIds + first, row.length, 0);
    store.fill(attentionMask + first, row.length, std::uint8_t{1});
  });
}

}  // namespace rolltape
