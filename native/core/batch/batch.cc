#include "batch.h"

#include <cstring>
#include <string>
#include <utility>

#include "../base/size.h"
#include "pack/packed.h"
#include "pack/padded.h"
#include "pack/row_tensors.h"
#include "pack/tree.h"

namespace rolltape {

namespace {

void requireCountable(const BatchShape& shape) {
  if (shape.layout == Layout::kPadded || shape.tokens <= kMaxSequenceTokens) return;
  throw Error(ErrorCode::kTooLarge, "the batch would have " + std::to_string(shape.tokens) +
                                        " tokens; the most that its int32 offsets count is " +
                                        std::to_string(kMaxSequenceTokens));
}

}  // namespace

BatchLayout layoutBatch(const Plan& plan, const Metadata& metadata) {
  plan.requirePackable();
  requireCountable(plan.shape());
  if (plan.columns().empty()) return {layoutSafetensors(tensorSpecs(plan.shape()), metadata), {}};
  LabelCodes labels(plan);
  Metadata all = metadata;
  all.emplace_back("row_codes", labels.json());
  return {layoutSafetensors(tensorSpecs(plan.shape()), all), std::move(labels)};
}

namespace {

void writeTokens(const Plan& plan, const BatchBlock& batch, unsigned threads, PackedColumns columns) {
  switch (plan.options().layout) {
    case Layout::kPadded:
      return writePadded(plan, batch, threads, columns);
    case Layout::kPacked:
      return writePacked(plan, batch, threads, columns);
    case Layout::kTree:
      return writeTree(plan, batch, threads);
  }
}

}  // namespace

void writeBatch(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads) {
  std::memcpy(block, layout.header.data(), layout.header.size());
  const BatchBlock batch(layout, block);
  writeRowTensors(plan, layout.labels, batch, threads);
  writeTokens(plan, batch, threads, PackedColumns::kAll);
}

std::uint64_t writeFirst(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads) {
  if (plan.options().layout == Layout::kTree) return 0;
  std::memcpy(block, layout.header.data(), layout.header.size());
  writeTokens(plan, BatchBlock(layout, block), threads, PackedColumns::kIds);
  const TensorPlace& ids = layout.tensors.front();
  return ids.offset + ids.bytes;
}

void writeRest(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads) {
  const BatchBlock batch(layout, block);
  writeRowTensors(plan, layout.labels, batch, threads);
  writeTokens(plan, batch, threads, PackedColumns::kOthers);
}

}  // namespace rolltape
