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
constexpr std::array<std::string_view, 10> kReservedNames{
    "input_ids",    "loss_mask",      "logprobs", "versions",    "rewards",
    "position_ids", "attention_mask", "cu_turns", "subtree_end", "mm_token_type_ids"};
constexpr std::array<std::string_view, 6> kReservedPrefixes{"row_", "turn_", "episode_", "node_", "cu_", "image_"};

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

/// Returns the last buffer of the channel that the part is of; null if there is none. Checks that the part can follow
/// it.
ChannelBuffer* lastOf(std::vector<ChannelBuffer>& buffers, const ChannelBuffer& part) {
  const ChannelSpec& spec = part.spec;
  const auto hasName = [&](const ChannelBuffer& buffer) { return buffer.spec.name == spec.name; };
  const auto last = std::find_if(buffers.rbegin(), buffers.rend(), hasName);
  if (last == buffers.rend()) return nullptr;
  if (last->spec != spec) throwInvalid(spec, "its dtype, shape, `of`, `offsets` or token ids differ from before");
  if (part.first < last->end()) throwInvalid(spec, "token " + std::to_string(part.first) + " has values already");
  return &*last;
}

/// Makes room for the items of a part that follows.
void reserveItems(ChannelBuffer& buffer, const ChannelBuffer& part) {
  constexpr std::uint64_t kMaxItems = std::numeric_limits<std::uint32_t>::max();
  if ((buffer.values.size() + part.values.size()) / buffer.spec.itemBytes() > kMaxItems) {
    throw Error(ErrorCode::kTooLarge, "channel " + buffer.spec.name + ": it has more items than one call can have");
  }
  reserveMore(buffer.values, part.values.size());
  if (buffer.spec.isRagged()) reserveMore(buffer.starts, part.count);
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
  if (!spec.tokenIds.empty() && spec.tokenIds.size() * dtypeBytes(spec.dtype) != spec.itemBytes()) {
    throwInvalid(spec, "an item has another number of values than token ids");
  }
  if (std::ranges::any_of(spec.tokenIds, [](std::int32_t id) { return id < 0; })) {
    throwInvalid(spec, "a token id is negative");
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

ChannelBuffer makeChannel(const ChannelSpec& spec, std::uint32_t first, std::vector<std::byte> values,
                          std::span<const std::uint32_t> counts) {
  const std::uint64_t tokens = countTokens(spec, values.size(), counts);
  const auto isBool = [](std::byte value) { return value <= std::byte{1}; };
  if (spec.dtype == Dtype::kBool && !std::ranges::all_of(values, isBool)) throwInvalid(spec, "a BOOL must be 0 or 1");
  if (first + tokens > kMaxSequenceTokens) throwInvalid(spec, "there are more tokens than one sequence can have");
  ChannelBuffer made{spec, first, static_cast<std::uint32_t>(tokens), std::move(values)};
  if (!spec.isRagged()) return made;
  made.starts.reserve(tokens + 1);
  made.starts.push_back(0);
  for (const std::uint32_t count : counts) made.starts.push_back(made.starts.back() + count);
  return made;
}

void reserveChannels(std::vector<ChannelBuffer>& buffers, std::span<const ChannelBuffer> parts) {
  std::size_t added = 0;
  const ChannelBuffer* before = nullptr;
  for (const ChannelBuffer& part : parts) {
    ChannelBuffer* const last = lastOf(buffers, part);
    if (last != nullptr && last->end() == part.first) reserveItems(*last, part);
    const bool isNew = last == nullptr && (before == nullptr || before->spec.name != part.spec.name);
    if (isNew && countNames(buffers) + ++added > kMaxChannels) {
      throwInvalid(part.spec, "a call has at most " + std::to_string(kMaxChannels) + " channels");
    }
    before = &part;
  }
  reserveMore(buffers, parts.size());
}

void appendChannels(std::vector<ChannelBuffer>& buffers, std::vector<ChannelBuffer> parts) {
  for (ChannelBuffer& part : parts) {
    ChannelBuffer* const last = lastOf(buffers, part);
    if (last == nullptr || last->end() != part.first) {
      buffers.push_back(std::move(part));
      continue;
    }
    const std::uint32_t items = last->starts.empty() ? 0 : last->starts.back();
    last->values.insert(last->values.end(), part.values.begin(), part.values.end());
    for (std::size_t i = 1; i < part.starts.size(); ++i) last->starts.push_back(items + part.starts[i]);
    last->count += part.count;
  }
}

void dropFront(ChannelBuffer& buffer, std::uint32_t from) {
  if (from <= buffer.first) return;
  const std::uint64_t bytes = buffer.run(0).bytes(buffer.first, from).size();
  buffer.values.erase(buffer.values.begin(), buffer.values.begin() + static_cast<std::ptrdiff_t>(bytes));
  buffer.count -= from - buffer.first;
  if (!buffer.starts.empty()) {
    const auto dropped = static_cast<std::ptrdiff_t>(from - buffer.first);
    buffer.starts.erase(buffer.starts.begin(), buffer.starts.begin() + dropped);
    for (std::uint32_t& start : buffer.starts) start -= static_cast<std::uint32_t>(bytes / buffer.spec.itemBytes());
  }
  buffer.first = from;
}

void truncateChannel(ChannelBuffer& buffer, std::uint32_t end) {
  buffer.count = std::min(buffer.count, end - std::min(end, buffer.first));
  const ChannelRun run = buffer.run(0);
  const std::uint64_t bytes = run.bytes(run.first, run.end()).size();
  buffer.values.resize(bytes);
  if (buffer.spec.isRagged()) buffer.starts.resize(buffer.count + std::size_t{1});
}

}  // namespace rolltape
