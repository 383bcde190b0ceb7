#include "generation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "../base/reserve.h"
#include "../base/size.h"

namespace rolltape {

namespace {

void checkIds(std::span<const std::int32_t> ids, std::int32_t smallest) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < smallest) {
      throw Error(ErrorCode::kInvalidArg, "ids: entry " + std::to_string(i) + " is " + std::to_string(ids[i]) +
                                              ", less than " + std::to_string(smallest));
    }
  }
}

[[noreturn]] void throwNotFinite(std::size_t entry) {
  throw Error(ErrorCode::kReplyNotFinite, "logprobs: entry " + std::to_string(entry) + " is not finite");
}

void checkLengths(const char* name, std::size_t length, std::size_t idCount) {
  if (length != idCount) {
    throw Error(ErrorCode::kInvalidArg,
                std::string(name) + ": " + std::to_string(length) + " entries for " + std::to_string(idCount) + " ids");
  }
}

}  // namespace

Generation::Generation(std::vector<std::int32_t> ids, std::vector<float> logprobs, std::vector<VersionRun> runs,
                       TopLogprobs top) {
  checkRoom(ids.size());
  ids_ = std::move(ids);
  logprobs_ = std::move(logprobs);
  runs_ = std::move(runs);
  top_ = std::move(top);
}

void Generation::checkCount(std::size_t count) const {
  if (limits_ && ids_.size() + count > limits_->maxTokens) {
    throw Error(ErrorCode::kReplyImpossible,
                "it has more tokens than the " + std::to_string(limits_->maxTokens) + " that were asked for");
  }
}

void Generation::checkPossible(std::span<const std::int32_t> ids, std::span<const float> logprobs) const {
  if (!limits_) return;
  const std::int32_t size = limits_->vocabularySize;
  const auto unknown = std::ranges::find_if(ids, [=](std::int32_t id) { return id >= size; });
  if (unknown != ids.end()) {
    throw Error(ErrorCode::kReplyImpossible, "token id " + std::to_string(*unknown) + " is beyond the vocabulary of " +
                                                 std::to_string(size) + " tokens");
  }
  const auto above = std::ranges::find_if(logprobs, [](float logprob) { return logprob > kMaxLogprob; });
  if (above != logprobs.end() && std::isfinite(*above)) {
    throw Error(ErrorCode::kReplyImpossible, "log probability " + std::to_string(*above) + " is above 0");
  }
}

void Generation::checkPossible(const Generation& other) const {
  checkCount(other.ids_.size());
  checkPossible(other.ids_, other.logprobs_);
  checkPossible(other.top_.ids(), other.top_.logprobs());
}

void Generation::checkRoom(std::size_t count) const {
  if (count > kMaxSequenceTokens - ids_.size()) {
    throw Error(ErrorCode::kTooLarge, "the output has more tokens than one sequence can have");
  }
}

void Generation::reserve(std::size_t tokens, std::size_t runs) {
  checkRoom(tokens);
  reserveMore(ids_, tokens);
  reserveMore(logprobs_, tokens);
  reserveMore(runs_, runs);
}

void Generation::append(std::span<const std::int32_t> ids, std::span<const float> logprobs, std::int32_t version) {
  checkCount(ids.size());
  checkPossible(ids, logprobs);
  const VersionRun run{0, version};
  append(ids, logprobs, std::span<const VersionRun>(&run, 1));
}

void Generation::append(std::span<const std::int32_t> ids, std::span<const float> logprobs,
                        std::span<const std::int32_t> versions) {
  checkLengths("versions", versions.size(), ids.size());
  checkCount(ids.size());
  checkPossible(ids, logprobs);
  std::vector<VersionRun> runs;
  for (std::size_t i = 0; i < versions.size(); ++i) appendVersion(runs, static_cast<std::uint32_t>(i), versions[i]);
  append(ids, logprobs, runs);
}

void Generation::append(std::span<const std::int32_t> ids, std::span<const float> logprobs,
                        std::span<const VersionRun> runs) {
  checkLengths("logprobs", logprobs.size(), ids.size());
  checkIds(ids, 0);
  for (std::size_t i = 0; i < logprobs.size(); ++i) {
    if (!std::isfinite(logprobs[i])) throwNotFinite(i);
  }
  if (ids.empty()) return;
  reserve(ids.size(), runs.size());
  const std::uint32_t first = length();
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  logprobs_.insert(logprobs_.end(), logprobs.begin(), logprobs.end());
  for (const VersionRun& run : runs) appendVersion(runs_, first + run.start, run.version);
}

void Generation::appendTop(std::span<const std::int32_t> ids, std::span<const float> logprobs, std::size_t width) {
  if (width == 0 || width > kMaxTopWidth) {
    throw Error(ErrorCode::kInvalidArg, "width: must be 1 to " + std::to_string(kMaxTopWidth));
  }
  checkLengths("logprobs", logprobs.size(), ids.size());
  checkIds(ids, TopLogprobs::kUnused);
  if (ids.size() % width != 0) throw Error(ErrorCode::kInvalidArg, "ids: the length is not a multiple of width");
  const std::size_t tokens = ids.size() / width;
  if (tokens > ids_.size()) {
    throw Error(ErrorCode::kInvalidArg, "ids: alternatives for " + std::to_string(tokens) + " tokens, but there are " +
                                            std::to_string(ids_.size()));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && !std::isfinite(logprobs[i])) throwNotFinite(i);
  }
  checkPossible(ids, logprobs);
  top_.grow(ids_.size(), width);
  top_.write(ids_.size() - tokens, ids, logprobs, width);
}

void Generation::recordTop(std::size_t width) {
  const TopLogprobs top = std::exchange(top_, {});
  const std::size_t rows = top.empty() ? 0 : top.ids().size() / top.width();
  if (rows == 0 || width == 0) return;
  const std::size_t values = checkedMultiply(rows, width);
  std::vector<std::byte> ids(values * sizeof(std::int32_t));
  std::vector<std::byte> logprobs(values * sizeof(float));
  for (std::size_t i = 0; i < values; ++i) {
    const std::size_t place = i % width;
    const std::size_t at = i / width * top.width() + place;
    const bool isUsed = place < top.width() && top.ids()[at] >= 0;
    const std::int32_t id = isUsed ? top.ids()[at] : TopLogprobs::kUnused;
    const float logprob = isUsed ? top.logprobs()[at] : -std::numeric_limits<float>::infinity();
    std::memcpy(ids.data() + i * sizeof id, &id, sizeof id);
    std::memcpy(logprobs.data() + i * sizeof logprob, &logprob, sizeof logprob);
  }
  const std::vector<std::uint32_t> shape{static_cast<std::uint32_t>(width)};
  addChannel({.name = "top_ids", .dtype = Dtype::kI32, .shape = shape}, 0, std::move(ids));
  addChannel({.name = "top_logprobs", .dtype = Dtype::kF32, .shape = shape}, 0, std::move(logprobs));
}

void Generation::addChannel(const ChannelSpec& spec, std::uint32_t first, std::vector<std::byte> values,
                            std::span<const std::uint32_t> counts) {
  std::vector<ChannelBuffer> part;
  part.push_back(makeChannel(spec, first, std::move(values), counts));
  const std::uint64_t tokens = part.front().count;
  if (tokens == 0) return;
  if (!spec.ofSequence && first + tokens > length()) {
    throw Error(ErrorCode::kInvalidArg, "channel " + spec.name + ": values for " + std::to_string(first + tokens) +
                                            " tokens, but there are " + std::to_string(length()));
  }
  reserveChannels(channels_, part);
  appendChannels(channels_, std::move(part));
}

bool Generation::hasOutputs(std::string_view channel, std::uint32_t from) const {
  const auto covers = [&](const ChannelBuffer& buffer) {
    return buffer.spec.name == channel && !buffer.spec.ofSequence && buffer.first <= from && buffer.end() == length();
  };
  return std::ranges::any_of(channels_, covers);
}

std::vector<ChannelBuffer> Generation::takeChannels(std::vector<ChannelBuffer> parts) {
  for (ChannelBuffer& part : parts) {
    if (!part.spec.ofSequence) {
      part.first += length();
      continue;
    }
    for (const ChannelBuffer& held : channels_) {
      if (held.spec.name == part.spec.name) dropFront(part, std::min(held.end(), part.end()));
    }
  }
  std::erase_if(parts, [](const ChannelBuffer& part) { return part.count == 0; });
  reserveChannels(channels_, parts);
  return parts;
}

void Generation::nameVersions(std::span<const std::int32_t> versions) {
  std::vector<VersionRun> named;
  named.reserve(runs_.size());
  for (const VersionRun& run : runs_) {
    const std::int64_t label = -2 - static_cast<std::int64_t>(run.version);
    if (label >= static_cast<std::int64_t>(versions.size())) {
      throw Error(ErrorCode::kInvalidArg, "versions: there is none for label " + std::to_string(label));
    }
    appendVersion(named, run.start, label < 0 ? run.version : versions[static_cast<std::size_t>(label)]);
  }
  runs_ = std::move(named);
}

void Generation::truncate(std::uint32_t length, std::uint32_t promptLength) {
  if (length > ids_.size()) {
    throw Error(ErrorCode::kInvalidArg, "length: there are " + std::to_string(ids_.size()) + " tokens");
  }
  if (promptLength > kMaxSequenceTokens - length) {
    throw Error(ErrorCode::kInvalidArg, "promptLength: the sequence would have more tokens than one can have");
  }
  if (length == ids_.size()) return;
  const std::uint32_t sequence = promptLength + length;
  for (ChannelBuffer& buffer : channels_) {
    // The item of the last token that is left, if there is one, is that of a step whose output is removed.
    truncateChannel(buffer, buffer.spec.ofSequence ? sequence - std::min(sequence, 1u) : length);
  }
  std::erase_if(channels_, [](const ChannelBuffer& buffer) { return buffer.count == 0; });
  ids_.resize(length);
  logprobs_.resize(length);
  while (!runs_.empty() && runs_.back().start >= length) runs_.pop_back();
  top_.truncate(length);
  while (!forced_.empty() && forced_.back().start >= length) forced_.pop_back();
  if (!forced_.empty()) forced_.back().length = std::min(forced_.back().length, length - forced_.back().start);
}

void Generation::append(const Generation& other) {
  append(other, other.channels_);
}

void Generation::append(const Generation& other, std::vector<ChannelBuffer> channels) {
  checkPossible(other);
  reserve(other.ids_.size(), other.runs_.size());
  std::vector<ChannelBuffer> parts = takeChannels(std::move(channels));
  // The last step that can throw. Later, the next append would take the rows behind the tokens for its own.
  if (!other.top_.empty()) top_.grow(ids_.size() + other.ids_.size(), other.top_.width());
  append(other.ids_, other.logprobs_, other.runs_);
  if (!other.top_.empty()) {
    top_.write(ids_.size() - other.ids_.size(), other.top_.ids(), other.top_.logprobs(), other.top_.width());
  }
  appendChannels(channels_, std::move(parts));
}

void Generation::append(Generation&& other) {
  if (ids_.empty() && channels_.empty()) {
    checkPossible(other);
    const std::optional<OutputLimits> limits = limits_;
    *this = std::move(other);
    limits_ = limits;
  } else {
    append(other, std::move(other.channels_));
  }
}

void Generation::append(Generation&& other, std::uint32_t from, std::span<const VersionRun> runs) {
  if (runs.empty()) return append(std::move(other));
  std::vector<VersionRun> all;
  all.reserve(runs_.size() + runs.size());
  std::ranges::copy_if(runs_, std::back_inserter(all), [&](const VersionRun& run) { return run.start < from; });
  for (const VersionRun& run : runs) appendVersion(all, from + run.start, run.version);
  append(std::move(other));
  runs_ = std::move(all);
}

}  // namespace rolltape
