#include "sampling_masks.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "../base/error.h"
#include "token_logprob.h"

namespace rolltape {

namespace {

void requireList(std::span<const std::int32_t> list, std::int32_t sampled, const SamplingMasks& asked) {
  const auto isUnknown = [&](std::int32_t id) { return static_cast<std::uint32_t>(id) >= asked.vocabularySize; };
  const auto unknown = std::ranges::find_if(list, isUnknown);
  if (unknown != list.end()) {
    throw Error(ErrorCode::kReplyImpossible, "token id " + std::to_string(*unknown) +
                                                 " of a sampling mask is beyond the vocabulary of " +
                                                 std::to_string(asked.vocabularySize) + " tokens");
  }
  if (std::ranges::find(list, sampled) == list.end()) {
    throw Error(ErrorCode::kReplyMismatch,
                "the sampling mask of token " + std::to_string(sampled) + " does not have this token");
  }
}

}  // namespace

ChannelSpec SamplingMasks::channel() {
  return {.name = "kept_ids", .dtype = Dtype::kI32, .offsets = "kept_offsets"};
}

void MaskLists::clear() {
  ids.clear();
  counts.clear();
}

void MaskLists::readNext(JsonCursor& json) {
  const std::size_t before = ids.size();
  json.array([&] { ids.push_back(readTokenId(json)); });
  counts.push_back(static_cast<std::uint32_t>(ids.size() - before));
}

void MaskLists::dropFront(std::size_t tokens) {
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(tokens);
  ids.erase(ids.begin(), ids.begin() + std::accumulate(counts.begin(), end, std::ptrdiff_t{0}));
  counts.erase(counts.begin(), end);
}

MaskLists readMaskLists(JsonCursor& json) {
  MaskLists lists;
  json.array([&] { lists.readNext(json); });
  return lists;
}

std::uint32_t addMasks(Generation& tokens, const SamplingMasks& asked, const MaskLists& lists) {
  if (lists.counts.size() != tokens.length()) {
    throw Error(ErrorCode::kReplyMismatch, "there are " + std::to_string(lists.counts.size()) + " sampling masks for " +
                                               std::to_string(tokens.length()) + " tokens");
  }
  std::uint32_t longest = 0;
  std::vector<std::uint32_t> counts = lists.counts;
  std::vector<std::byte> values;
  values.reserve(std::as_bytes(std::span(lists.ids)).size());
  std::span<const std::int32_t> rest = lists.ids;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto list = rest.first(counts[i]);
    rest = rest.subspan(counts[i]);
    if (list.size() >= asked.vocabularySize || list.size() > asked.maxIds) {
      if (list.size() < asked.vocabularySize) longest = std::max(longest, counts[i]);
      counts[i] = 0;
      continue;
    }
    requireList(list, tokens.ids()[i], asked);
    const auto bytes = std::as_bytes(list);
    values.insert(values.end(), bytes.begin(), bytes.end());
  }
  tokens.addChannel(SamplingMasks::channel(), 0, std::move(values), counts);
  return longest;
}

}  // namespace rolltape
