#include "reply.h"

#include <algorithm>
#include <string>
#include <utility>

#include "../../base/error.h"
#include "fields.h"

namespace rolltape {

namespace {

[[noreturn]] void mismatch(const std::string& what) {
  throw Error(ErrorCode::kReplyMismatch, what);
}

void checkCount(const char* name, const std::optional<std::int64_t>& said, std::size_t count) {
  if (said && *said != static_cast<std::int64_t>(count)) {
    mismatch(std::string(name) + " is " + std::to_string(*said) + ", but output_token_logprobs has " +
             std::to_string(count) + " tokens");
  }
}

/// A call that was aborted before it ran has no arrays; any other reply without log probabilities cannot be recorded.
void checkNothingGenerated(const SglangFields& fields) {
  const SglangMetaInfo& meta = fields.metaInfo;
  const bool aborted = meta.finish && meta.finish->type == "abort";
  if (meta.completionTokens.value_or(aborted ? 0 : 1) != 0) mismatch("the reply has no output_token_logprobs");
  if (!fields.outputIds.empty()) {
    mismatch("output_ids has " + std::to_string(fields.outputIds.size()) +
             " tokens, but there are no output_token_logprobs");
  }
}

void checkOutputIds(const SglangFields& fields) {
  if (!fields.hasOutputIds) return;
  const std::vector<std::int32_t>& said = fields.outputIds;
  const std::vector<std::int32_t>& ids = fields.metaInfo.ids;
  if (said.size() < ids.size() || !std::equal(ids.rbegin(), ids.rend(), said.rbegin())) {
    mismatch("output_ids does not end with the " + std::to_string(ids.size()) + " ids of output_token_logprobs");
  }
}

std::vector<VersionRun> versionRuns(const SglangMetaInfo& meta, std::int32_t fallback, NamedVersions& named) {
  const auto count = static_cast<std::int64_t>(meta.ids.size());
  if (meta.weightVersions.empty()) {
    std::vector<VersionRun> runs;
    if (count > 0) appendVersion(runs, 0, meta.weightVersion.value_or(fallback));
    named.noteTokens(meta.weightVersion, meta.ids.size());
    return runs;
  }
  if (!covers(meta.weightVersions, 0, count)) {
    mismatch("the spans of weight_versions do not cover the " + std::to_string(count) + " tokens one after the other");
  }
  noteSpans(meta.weightVersions, named);
  return versionRuns(meta.weightVersions, 0, count, fallback);
}

TopLogprobs topOf(SglangMetaInfo& meta) {
  if (meta.flatTop.isPresent()) return meta.flatTop.take(meta.ids.size());
  const std::size_t lists = meta.top.counts.size();
  if (lists > 0 && lists != meta.ids.size()) {
    mismatch("output_top_logprobs has " + std::to_string(lists) + " lists for " + std::to_string(meta.ids.size()) +
             " tokens");
  }
  return topRows(std::move(meta.top));
}

}  // namespace

EngineReply readSglangReply(std::span<const std::uint8_t> body, std::int32_t fallbackVersion,
                            const AskedValues& asked) {
  JsonCursor json(body);
  SglangFields fields;
  readSglangFields(json, fields, asked);
  if (!fields.hasMetaInfo) json.fail("no meta_info");
  SglangMetaInfo& meta = fields.metaInfo;
  if (meta.hasLogprobs) {
    checkCount("completion_tokens", meta.completionTokens, meta.ids.size());
    checkCount("output_token_logprobs_length", meta.logprobsLength, meta.ids.size());
    checkOutputIds(fields);
  } else {
    checkNothingGenerated(fields);
  }
  meta.applyMasks(meta.ids.size());
  EngineReply reply;
  std::vector<VersionRun> runs = versionRuns(meta, fallbackVersion, fields.versions);
  TopLogprobs top = topOf(meta);
  reply.tokens = Generation(std::move(meta.ids), std::move(meta.logprobs), std::move(runs), std::move(top));
  if (meta.experts) addExperts(reply.tokens, *asked.experts, std::move(*meta.experts), reply.tokens.length());
  reply.hasExperts = meta.experts.has_value();
  if (meta.hasMasks) reply.longestMask = addMasks(reply.tokens, *asked.masks, meta.masks);
  reply.hasMasks = meta.hasMasks;
  reply.hasTokenIds = addTokenIdsLogprobs(reply.tokens, asked.tokenIds, meta.tokenIds);
  reply.versions = std::move(fields.versions);
  reply.id = std::move(meta.id);
  reply.finish = std::move(meta.finish);
  reply.promptTokens = meta.promptTokens;
  reply.completionTokens = meta.completionTokens;
  reply.cachedTokens = meta.cachedTokens;
  return reply;
}

}  // namespace rolltape
