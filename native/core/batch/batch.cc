#include "batch.h"

#include <cstring>
#include <string>
#include <utility>

#include "../base/size.h"
#include "pack/channels.h"
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
  Metadata all = metadata;
  if (!plan.shape().channels.empty()) all.emplace_back("channels", channelsJson(plan.shape().channels));
  if (plan.columns().empty()) return {layoutSafetensors(tensorSpecs(plan.shape()), all), {}};
  LabelCodes labels(plan);
  all.emplace_back("row_codes", labels.json());
  return {layoutSafetensors(tensorSpecs(plan.shape()), all), std::move(labels)};
}

void writeBatch(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads) {
  std::memcpy(block, layout.header.data(), layout.header.size());
  const BatchBlock batch(layout, block);
  writeRowTensors(plan, layout.labels, batch, threads);
  writeChannels(plan, batch, threads);
  switch (plan.options().layout) {
    case Layout::kPadded:
      return writePadded(plan, batch, threads);
    case Layout::kPacked:
      return writePacked(plan, batch, threads);
    case Layout::kTree:
      return writeTree(plan, batch, threads);
  }
}

}  // namespace rolltape
