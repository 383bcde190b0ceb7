#include "batch_shape.h"

#include "../base/size.h"

namespace rolltape {

namespace {

using Shape = std::vector<std::uint64_t>;

std::vector<TensorSpec> perToken(const Shape& shape) {
  return {{"input_ids", Dtype::kI32, shape},
          {"loss_mask", Dtype::kI32, shape},
          {"logprobs", Dtype::kF32, shape},
          {"versions", Dtype::kI32, shape}};
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

std::vector<TensorSpec> paddedSpecs(const BatchShape& batch) {
  const Shape shape{batch.rows, batch.length};
  std::vector<TensorSpec> specs = perToken(shape);
  specs.push_back({"rewards", Dtype::kF32, {batch.rows}});
  addColumns(batch, Dtype::kI32, specs);
  specs.push_back({"attention_mask", Dtype::kBool, shape});
  addColumns(batch, Dtype::kBool, specs);
  return specs;
}

std::vector<TensorSpec> packedSpecs(const BatchShape& batch) {
  std::vector<TensorSpec> specs = perToken({batch.tokens});
  specs.push_back({"position_ids", Dtype::kI32, {batch.tokens}});
  specs.push_back({"cu_seqlens", Dtype::kI32, {checkedAdd(batch.rows, 1)}});
  specs.push_back({"rewards", Dtype::kF32, {batch.rows}});
  addColumns(batch, Dtype::kI32, specs);
  specs.push_back({"attention_mask", Dtype::kBool, {batch.tokens}});
  addColumns(batch, Dtype::kBool, specs);
  return specs;
}

std::vector<TensorSpec> treeSpecs(const BatchShape& batch) {
  std::vector<TensorSpec> specs = perToken({batch.tokens});
  specs.push_back({"position_ids", Dtype::kI32, {batch.tokens}});
  specs.push_back({"subtree_end", Dtype::kI32, {batch.tokens}});
  specs.push_back({"cu_trees", Dtype::kI32, {checkedAdd(batch.trees, 1)}});
  specs.push_back({"node_offsets", Dtype::kI32, {checkedAdd(batch.rows, 1)}});
  specs.push_back({"node_parents", Dtype::kI32, {batch.rows}});
  specs.push_back({"node_lengths", Dtype::kI32, {batch.rows}});
  specs.push_back({"node_rewards", Dtype::kF32, {batch.rows}});
  addColumns(batch, Dtype::kI32, specs);
  addColumns(batch, Dtype::kBool, specs);
  return specs;
}

}  // namespace

std::vector<TensorSpec> tensorSpecs(const BatchShape& shape) {
  switch (shape.layout) {
    case Layout::kPadded:
      return paddedSpecs(shape);
    case Layout::kPacked:
      return packedSpecs(shape);
    case Layout::kTree:
      return treeSpecs(shape);
  }
  return {};
}

std::uint64_t tensorBytes(const BatchShape& shape) {
  std::uint64_t bytes = 0;
  for (const TensorSpec& spec : tensorSpecs(shape)) bytes = checkedAdd(bytes, tensorBytes(spec));
  return bytes;
}

}  // namespace rolltape
