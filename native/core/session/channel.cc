#include "channel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "../base/error.h"
#include "../base/reserve.h"
#include "../base/size.h"

namespace rolltape {

namespace {

/// Names that tensors of batches have, and prefixes of other such names.
constexpr std::array<std::string_view, 9> kReservedNames{"input_ids",      "loss_mask", "logprobs",
                                                         "versions",       "rewards",   "position_ids",
                                                         "attention_mask", "cu_turns",  "subtree_end"};
constexpr std::array<std::string_view, 4> kReservedPrefixes{"row_", "turn_", "node_", "cu_"};

[[noreturn]] void throwInvalid(const ChannelSpec& spec, const std::string& problem) {
  throw Error(ErrorCode::kInvalidArg, "channel " + spec.name + ": " + problem);
}

bool isReserved(std::string_view name) {
  return std::ranges::find(kReservedNames, name) != kReservedNames.end() ||
         std::ranges::any_of(kReservedPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool isTensorName(std::string_view name) {
  const auto isLetter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto isAllowed = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && isLetter(name[0]) && name.size() <= 64 && std::ranges::all_of(name, isAllowed) &&
         !isReserved(name);
}

std::size_t countNames(std::span<const ChannelBuffer> buffers) {
  std::set<std::string_view> names;
  for (const ChannelBuffer& buffer : buffers) names.insert(buffer.spec.name);
  return names.size();
}

/// Adds the items of the tokens after the last one. Adds nothing if it throws.
void extend(ChannelBuffer& buffer, std::uint32_t tokens, std::span<const std::byte> values,
            std::span<const std::uint32_t> counts) {
  constexpr std::uint64_t kMaxItems = std::numeric_limits<std::uint32_t>::max();
  if ((buffer.values.size() + values.size()) / buffer.spec.itemBytes() > kMaxItems) {
    throw Error(ErrorCode::kTooLarge, "channel " + buffer.spec.name + ": it has more items than one call can have");
  }
  reserveMore(buffer.values, values.size());
  if (buffer.spec.isRagged()) reserveMore(buffer.starts, counts.size() + 1);
  buffer.values.insert(buffer.values.end(), values.begin(), values.end());
  if (buffer.spec.isRagged() && buffer.starts.empty()) buffer.starts.push_back(0);
  for (const std::uint32_t count : counts) buffer.starts.push_back(buffer.starts.back() + count);
  buffer.count += tokens;
}

}  // namespace

std::uint64_t ChannelSpec::itemBytes() const {
  std::uint64_t bytes = dtypeBytes(dtype);
  for (const std::uint32_t extent : shape) bytes = checkedMultiply(bytes, extent);
  return bytes;
}

void requireChannel(const ChannelSpec& spec) {
  if (!isTensorName(spec.name)) throwInvalid(spec, "a tensor of a batch cannot have this name");
  if (spec.isRagged() && (!isTensorName(spec.offsets) || spec.offsets == spec.name)) {
    throwInvalid(spec, "a tensor of a batch cannot have the name " + spec.offsets);
  }
  if (!spec.isRagged() && isReserved(spec.maskName())) {
    throwInvalid(spec, "every batch has a tensor " + spec.maskName());
  }
  if (spec.dtype == Dtype::kI64) throwInvalid(spec, "the dtype must be I32, F32, U16, U8 or BOOL");
  if (spec.shape.size() > kMaxChannelRank) throwInvalid(spec, "the shape has too many dimensions");
  if (std::ranges::find(spec.shape, 0u) != spec.shape.end() || spec.itemBytes() > kMaxItemBytes) {
    throwInvalid(spec, "an item must have 1 to " + std::to_string(kMaxItemBytes) + " bytes");
  }
}

std::uint64_t countTokens(const ChannelSpec& spec, std::size_t bytes, std::span<const std::uint32_t> counts) {
  requireChannel(spec);
  if (bytes % spec.itemBytes() != 0) throwInvalid(spec, "the values are not whole items");
  const std::uint64_t items = bytes / spec.itemBytes();
  if (!spec.isRagged()) {
    if (!counts.empty()) throwInvalid(spec, "counts are for ragged channels");
    return items;
  }
  if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) != items) {
    throwInvalid(spec, "the counts do not add up to the " + std::to_string(items) + " items");
  }
  return counts.size();
}

void addChannel(std::vector<ChannelBuffer>& buffers, const ChannelSpec& spec, std::uint32_t first,
                std::span<const std::byte> values, std::span<const std::uint32_t> counts) {
  const std::uint64_t tokens = countTokens(spec, values.size(), counts);
  if (tokens == 0) return;
  const auto isBool = [](std::byte value) { return value <= std::byte{1}; };
  if (spec.dtype == Dtype::kBool && !std::ranges::all_of(values, isBool)) throwInvalid(spec, "a BOOL must be 0 or 1");
  if (first + tokens > kMaxSequenceTokens) throwInvalid(spec, "there are more tokens than one sequence can have");
  const auto hasName = [&](const ChannelBuffer& buffer) { return buffer.spec.name == spec.name; };
  const auto last = std::find_if(buffers.rbegin(), buffers.rend(), hasName);
  if (last != buffers.rend()) {
    if (last->spec != spec) throwInvalid(spec, "its dtype, shape, `of` or `offsets` differs from before");
    if (first < last->end()) throwInvalid(spec, "token " + std::to_string(first) + " has values already");
  }
  if (last != buffers.rend() && last->end() == first) {
    return extend(*last, static_cast<std::uint32_t>(tokens), values, counts);
  }
  if (last == buffers.rend() && countNames(buffers) >= kMaxChannels) {
    throwInvalid(spec, "a call has at most " + std::to_string(kMaxChannels) + " channels");
  }
  ChannelBuffer added{spec, first};
  extend(added, static_cast<std::uint32_t>(tokens), values, counts);
  buffers.push_back(std::move(added));
}

std::vector<std::uint32_t> ChannelBuffer::counts(std::uint32_t from) const {
  std::vector<std::uint32_t> counts;
  for (std::size_t i = from - first; i + 1 < starts.size(); ++i) counts.push_back(starts[i + 1] - starts[i]);
  return counts;
}

void truncateChannel(ChannelBuffer& buffer, std::uint32_t end) {
  buffer.count = std::min(buffer.count, end - std::min(end, buffer.first));
  const ChannelRun run = buffer.run(0);
  const std::uint64_t bytes = run.bytes(run.first, run.end()).size();
  buffer.values.resize(bytes);
  if (buffer.spec.isRagged()) buffer.starts.resize(buffer.count + std::size_t{1});
}

}  // namespace rolltape
