#include "batch.h"

#include <algorithm>
#include <cstring>
#include <functional>
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

void requireGiven(const GivenTensor& tensor, std::span<const TensorSpec> before) {
  const std::string& name = tensor.spec.name;
  if (std::ranges::any_of(before, [&](const TensorSpec& spec) { return spec.name == name; })) {
    throw Error(ErrorCode::kInvalidArg, "tensors: two tensors would have the name " + name);
  }
  std::uint64_t bytes = 0;
  for (const auto part : tensor.parts) bytes = checkedAdd(bytes, part.size());
  if (bytes != tensorBytes(tensor.spec)) {
    throw Error(ErrorCode::kInvalidArg, "tensors: " + name + " has " + std::to_string(bytes) + " bytes instead of " +
                                            std::to_string(tensorBytes(tensor.spec)));
  }
}

std::vector<TensorSpec> allSpecs(const Plan& plan, std::span<const GivenTensor> given) {
  std::vector<TensorSpec> specs = tensorSpecs(plan.shape());
  for (const GivenTensor& tensor : given) {
    requireGiven(tensor, specs);
    specs.push_back(tensor.spec);
  }
  const auto alignment = [](const TensorSpec& spec) { return dtypeBytes(spec.dtype); };
  std::ranges::stable_sort(specs, std::ranges::greater(), alignment);
  return specs;
}

}  // namespace

BatchLayout layoutBatch(const Plan& plan, const Metadata& metadata, std::span<const GivenTensor> given) {
  plan.requirePackable();
  requireCountable(plan.shape());
  Metadata all = metadata;
  if (!plan.shape().channels.empty()) all.emplace_back("channels", channelsJson(plan.shape().channels));
  if (plan.columns().empty()) return {layoutSafetensors(allSpecs(plan, given), all), {}};
  LabelCodes labels(plan);
  all.emplace_back("row_codes", labels.json());
  return {layoutSafetensors(allSpecs(plan, given), all), std::move(labels)};
}

void writeGiven(std::span<const GivenTensor> given, const BatchLayout& layout, std::byte* block) {
  const BatchBlock batch(layout, block);
  for (const GivenTensor& tensor : given) {
    auto* to = batch.tensor<std::uint8_t>(tensor.spec.name);
    for (const auto part : tensor.parts) to = std::ranges::copy(part, to).out;
  }
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
