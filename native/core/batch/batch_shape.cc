#include "batch_shape.h"

#include "../base/size.h"

namespace rolltape {

namespace {

using Shape = std::vector<std::uint64_t>;

/// The shape of a tensor with an entry per token.
Shape tokenShape(const BatchShape& batch) {
  if (batch.layout == Layout::kPadded) return {batch.rows, batch.length};
  return {batch.tokens};
}

/// The row and turn columns whose elements are as wide as those of `like`.
void addColumns(const BatchShape& batch, Dtype like, std::vector<TensorSpec>& specs) {
  const auto add = [&](const char* prefix, std::uint64_t extent, bool RowColumn::*wanted) {
    for (const RowColumn& column : batch.columns) {
      if (!(column.*wanted) || dtypeBytes(column.dtype) != dtypeBytes(like)) continue;
      specs.push_back({prefix + column.name, column.dtype, {extent}});
    }
  };
  add("row_", batch.rows, &RowColumn::perRow);
  if (!batch.hasTurns) return;
  if (like == Dtype::kI32) specs.push_back({"cu_turns", Dtype::kI32, {checkedAdd(batch.rows, 1)}});
  add("turn_", batch.turns, &RowColumn::perTurn);
}

/// The tensors of episodes whose elements have this size. Batches without columns have none.
void addEpisodeSpecs(const BatchShape& batch, std::uint64_t bytes, std::vector<TensorSpec>& specs) {
  if (batch.columns.empty()) return;
  if (bytes == 1) return specs.push_back({"episode_has_reward", Dtype::kBool, {batch.episodes}});
  specs.push_back({"episode_group", Dtype::kI32, {batch.episodes}});
  specs.push_back({"episode_rows", Dtype::kI32, {batch.episodes}});
  specs.push_back({"episode_reward", Dtype::kF32, {batch.episodes}});
  specs.push_back({"episode_return", Dtype::kF32, {batch.episodes}});
}

/// The tensors of channels whose elements have this size.
void addChannelSpecs(const BatchShape& batch, std::uint64_t bytes, std::vector<TensorSpec>& specs) {
  const Shape perToken = tokenShape(batch);
  for (const BatchChannel& channel : batch.channels) {
    const auto add = [&](const std::string& name, Dtype dtype, Shape shape, std::span<const std::uint32_t> item) {
      if (dtypeBytes(dtype) != bytes) return;
      shape.insert(shape.end(), item.begin(), item.end());
      specs.push_back({name, dtype, std::move(shape)});
    };
    const ChannelSpec& spec = channel.spec;
    if (spec.isRagged()) {
      add(spec.offsets, Dtype::kI64, {checkedAdd(batch.tokens, 1)}, {});
      add(spec.name, spec.dtype, {channel.items()}, spec.shape);
    } else {
      add(spec.name, spec.dtype, perToken, spec.shape);
      add(spec.maskName(), Dtype::kBool, perToken, {});
    }
  }
}

/// The tensors of 4 bytes that only some layouts have.
void addLayoutSpecs(const BatchShape& batch, std::vector<TensorSpec>& specs) {
  if (batch.layout != Layout::kPadded) specs.push_back({"position_ids", Dtype::kI32, {batch.tokens}});
  if (batch.layout == Layout::kPacked) specs.push_back({"cu_seqlens", Dtype::kI32, {checkedAdd(batch.rows, 1)}});
  if (batch.layout != Layout::kTree) {
    specs.push_back({"rewards", Dtype::kF32, {batch.rows}});
    return;
  }
  specs.push_back({"subtree_end", Dtype::kI32, {batch.tokens}});
  specs.push_back({"cu_trees", Dtype::kI32, {checkedAdd(batch.trees, 1)}});
  specs.push_back({"node_offsets", Dtype::kI32, {checkedAdd(batch.rows, 1)}});
  specs.push_back({"node_parents", Dtype::kI32, {batch.rows}});
  specs.push_back({"node_lengths", Dtype::kI32, {batch.rows}});
  specs.push_back({"node_rewards", Dtype::kF32, {batch.rows}});
}

}  // namespace

/// By falling size of their elements, as layoutSafetensors() requires.
std::vector<TensorSpec> tensorSpecs(const BatchShape& shape) {
  const Shape tokens = tokenShape(shape);
  std::vector<TensorSpec> specs;
  addChannelSpecs(shape, 8, specs);
  specs.push_back({"input_ids", Dtype::kI32, tokens});
  specs.push_back({"loss_mask", Dtype::kI32, tokens});
  specs.push_back({"logprobs", Dtype::kF32, tokens});
  specs.push_back({"versions", Dtype::kI32, tokens});
  addLayoutSpecs(shape, specs);
  addColumns(shape, Dtype::kI32, specs);
  addEpisodeSpecs(shape, 4, specs);
  addChannelSpecs(shape, 4, specs);
  addChannelSpecs(shape, 2, specs);
  if (shape.layout != Layout::kTree) specs.push_back({"attention_mask", Dtype::kBool, tokens});
  addColumns(shape, Dtype::kBool, specs);
  addEpisodeSpecs(shape, 1, specs);
  addChannelSpecs(shape, 1, specs);
  return specs;
}

std::uint64_t tensorBytes(const BatchShape& shape) {
  std::uint64_t bytes = 0;
  for (const TensorSpec& spec : tensorSpecs(shape)) bytes = checkedAdd(bytes, tensorBytes(spec));
  return bytes;
}

}  // namespace rolltape
