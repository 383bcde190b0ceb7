#include "stream.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "../../base/error.h"

namespace rolltape {

namespace {

[[noreturn]] void mismatch(const std::string& what) {
  throw Error(ErrorCode::kReplyMismatch, what);
}

bool sameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// Whether `part` is the end of `all`, as far as there is as much of both.
bool endsAlike(std::span<const std::int32_t> all, std::span<const std::int32_t> part) {
  const std::size_t count = std::min(all.size(), part.size());
  return std::equal(all.end() - static_cast<std::ptrdiff_t>(count), all.end(),
                    part.end() - static_cast<std::ptrdiff_t>(count));
}

template <typename T>
void keep(std::optional<T>& kept, std::optional<T>& said) {
  if (said) kept = std::move(said);
}

}  // namespace

void SglangStream::read(RoomyText frame, Generation& into) {
  if (end_.finish || end_.error) mismatch("a frame comes after the last one");
  readFields(frame);
  if (fields_.error) {
    end_.error = std::move(fields_.error);
    return;
  }
  if (isRefusal()) {
    keep(end_.id, fields_.metaInfo.id);
    keep(end_.finish, fields_.metaInfo.finish);
    return;
  }
  const std::size_t total = totalTokens();
  const bool last = fields_.metaInfo.finish.has_value();
  const std::size_t items = fields_.metaInfo.logprobsArray.skipped + fields_.metaInfo.ids.size();
  // What looked known was a delta that begins alike, or the stream ends: read all of it.
  if (readsKnown() && (last || items != total || !fields_.metaInfo.hasEqualMasks())) {
    readAgain(frame);
  }
  fields_.metaInfo.applyMasks(total);
  const std::size_t added = newTokens(total);
  checkRecorded(into, added);
  checkOutputIds(into, added);
  append(into, added, total);
  remember(added);
  keepEnd();
}

void SglangStream::readFields(RoomyText frame) {
  JsonCursor json(frame);
  readSglangFields(json, fields_, asked_, &known_, experts());
  if (!fields_.hasMetaInfo && !fields_.error) json.fail("no meta_info");
}

/// Reads a frame without what is known, except for its experts, which are complete in any case.
void SglangStream::readAgain(RoomyText frame) {
  forgetArrays();
  known_.experts = fields_.metaInfo.experts.has_value();
  ExpertRows experts;
  if (known_.experts) experts.swap(*fields_.metaInfo.experts);
  readFields(frame);
  if (known_.experts) fields_.metaInfo.experts = std::move(experts);
  known_.experts = false;
}

void SglangStream::forgetArrays() {
  known_ = {};
  known_.id = end_.id.has_value();
}

/// SGLang refuses a request in a stream, such as one whose grammar it cannot compile, with a placeholder: one token
/// without a log probability, and counts of a prompt of one token.
bool SglangStream::isRefusal() const {
  const SglangMetaInfo& meta = fields_.metaInfo;
  return count_ == 0 && meta.ids.empty() && meta.finish && meta.finish->type == "abort" && meta.finish->statusCode;
}

bool SglangStream::readsKnown() const {
  const SglangMetaInfo& meta = fields_.metaInfo;
  return meta.logprobsArray.skipped + meta.topArray.skipped + meta.tokenIdsArray.skipped +
             fields_.outputIdsArray.skipped >
         0;
}

std::size_t SglangStream::totalTokens() const {
  const SglangMetaInfo& meta = fields_.metaInfo;
  const auto length = meta.hasLogprobs ? meta.logprobsLength : std::nullopt;
  const auto total = length ? length : meta.completionTokens;
  if (total) return static_cast<std::size_t>(*total);
  if (meta.hasLogprobs) mismatch("a frame does not say how many tokens there are");
  return count_;
}

/// How many of the items at the end of output_token_logprobs are new.
std::size_t SglangStream::newTokens(std::size_t total) const {
  const SglangMetaInfo& meta = fields_.metaInfo;
  const std::size_t items = meta.logprobsArray.skipped + meta.ids.size();
  const bool counted =
      meta.completionTokens.value_or(static_cast<std::int64_t>(total)) == static_cast<std::int64_t>(total);
  if (counted && items == total && items >= count_) return items - count_;
  if (counted && count_ + items == total) return items;
  mismatch("a frame has " + std::to_string(items) + " log probabilities after " + std::to_string(count_) +
           " tokens, but there are " + std::to_string(total));
}

/// A cumulative array repeats what was recorded, as far as it was read.
void SglangStream::checkRecorded(const Generation& into, std::size_t added) const {
  const SglangMetaInfo& meta = fields_.metaInfo;
  const std::size_t repeated = meta.ids.size() - added;
  const std::size_t first = base() + count_ - repeated;
  const auto logprobs = into.logprobs().subspan(first, repeated);
  if (!std::equal(meta.ids.begin(), meta.ids.begin() + static_cast<std::ptrdiff_t>(repeated),
                  into.ids().begin() + static_cast<std::ptrdiff_t>(first)) ||
      !std::equal(logprobs.begin(), logprobs.end(), meta.logprobs.begin(), sameBits)) {
    mismatch("a frame changes tokens that an earlier one had");
  }
}

/// output_ids ends with the tokens so far, or is the new ones; an aborted call may leave some out.
void SglangStream::checkOutputIds(const Generation& into, std::size_t added) const {
  if (!fields_.hasOutputIds) return;
  const std::span<const std::int32_t> said = fields_.outputIds;
  const std::span<const std::int32_t> read = fields_.metaInfo.ids;
  const std::size_t items = fields_.outputIdsArray.skipped + said.size();
  const bool aborted = fields_.metaInfo.finish && fields_.metaInfo.finish->type == "abort";
  const std::size_t saidNew = std::min(added, said.size());
  const bool complete = items >= added || aborted;
  const bool any = count_ + added > 0 || items == 0;
  if (!complete || !any || !endsAlike(read.last(added), said) ||
      !endsAlike(into.ids().subspan(base()), said.first(said.size() - saidNew))) {
    mismatch("output_ids of a frame does not end with the ids of output_token_logprobs");
  }
}

std::vector<VersionRun> SglangStream::newVersions(std::size_t total, std::size_t added) const {
  const SglangMetaInfo& meta = fields_.metaInfo;
  const auto first = static_cast<std::int64_t>(total - added);
  const auto end = static_cast<std::int64_t>(total);
  if (!meta.weightVersions.empty() &&
      (covers(meta.weightVersions, 0, end) || covers(meta.weightVersions, first, end))) {
    return versionRuns(meta.weightVersions, first, end, unnamedVersion);
  }
  return {{0, meta.weightVersion.value_or(unnamedVersion)}};
}

/// The last frame's spans are the engine's final word on every token from their start on. None in other frames.
std::vector<VersionRun> SglangStream::lastVersions(std::size_t total) {
  const std::vector<WeightVersionSpan>& spans = fields_.metaInfo.weightVersions;
  if (!fields_.metaInfo.finish || spans.empty()) return {};
  const std::int64_t first = spans.front().start;
  const auto end = static_cast<std::int64_t>(total);
  if (!covers(spans, first, end)) mismatch("the spans of weight_versions do not cover the tokens one after the other");
  if (!noteSpans(spans, fields_.versions)) return {};
  return versionRuns(spans, first, end, firstVersion_);
}

void SglangStream::keepNew(TopLists& lists, const ReadArray& array, std::size_t total, std::size_t added) const {
  const std::size_t count = array.skipped + lists.counts.size();
  if (count == 0 && count_ + added == 0) return;
  if (count == total && lists.counts.size() >= added) {
    lists.dropFront(lists.counts.size() - added);
  } else if (count != 0 && count != added) {
    mismatch("a frame has " + std::to_string(count) + " lists of alternatives for " + std::to_string(added) + " of " +
             std::to_string(total) + " tokens");
  }
}

void SglangStream::append(Generation& into, std::size_t added, std::size_t total) {
  SglangMetaInfo& meta = fields_.metaInfo;
  const auto ids = std::span(meta.ids).last(added);
  const auto logprobs = std::span(meta.logprobs).last(added);
  keepNew(meta.top, meta.topArray, total, added);
  keepNew(meta.tokenIds, meta.tokenIdsArray, total, added);
  TopLogprobs top = topRows(std::move(meta.top));
  fields_.versions.noteTokens(meta.weightVersion, added);
  if (top.empty() && meta.weightVersions.empty() && !meta.experts && !meta.hasMasks && meta.tokenIds.counts.empty()) {
    into.append(ids, logprobs, meta.weightVersion.value_or(unnamedVersion));
  } else {
    const std::vector<VersionRun> last = lastVersions(total);
    const auto from = last.empty() ? 0 : base() + static_cast<std::uint32_t>(meta.weightVersions.front().start);
    Generation tokens;
    if (added > 0) {
      tokens = Generation({ids.begin(), ids.end()}, {logprobs.begin(), logprobs.end()}, newVersions(total, added),
                          std::move(top));
    }
    if (meta.hasMasks) addNewMasks(tokens);
    if (addTokenIdsLogprobs(tokens, asked_.tokenIds, meta.tokenIds)) end_.hasTokenIds = true;
    if (meta.experts) {
      addExperts(tokens, *asked_.experts, std::move(*meta.experts), total);
      end_.hasExperts = true;
    }
    into.append(std::move(tokens), from, last);
  }
  count_ += added;
}

void SglangStream::addNewMasks(Generation& tokens) {
  MaskLists& masks = fields_.metaInfo.masks;
  masks.dropFront(masks.counts.size() - tokens.length());
  end_.longestMask = std::max(end_.longestMask, addMasks(tokens, *asked_.masks, masks));
  end_.hasMasks = true;
}

void SglangStream::remember(std::size_t added) {
  if (incremental_) return;
  const SglangMetaInfo& meta = fields_.metaInfo;
  const std::size_t items = meta.logprobsArray.skipped + meta.ids.size();
  if (items == added && added > 0 && count_ > added) {
    incremental_ = true;
    forgetArrays();
  }
  if (incremental_ || items == 0) return;
  known_.logprobs.set(meta.logprobsArray.text, items);
  known_.top.set(meta.topArray.text, items);
  known_.masks.set(meta.masksArray.text, items);
  known_.maskedLogprobs.set(meta.maskedLogprobsArray.text, items);
  known_.tokenIds.set(meta.tokenIdsArray.text, items);
  known_.outputIds.set(fields_.outputIdsArray.text, fields_.outputIdsArray.skipped + fields_.outputIds.size());
}

void SglangStream::keepEnd() {
  SglangMetaInfo& meta = fields_.metaInfo;
  keep(end_.id, meta.id);
  known_.id = end_.id.has_value();
  keep(end_.finish, meta.finish);
  keep(end_.promptTokens, meta.promptTokens);
  keep(end_.completionTokens, meta.completionTokens);
  keep(end_.cachedTokens, meta.cachedTokens);
}

EngineReply SglangStream::end(Generation&) {
  end_.versions = fields_.versions;
  return std::move(end_);
}

}  // namespace rolltape
