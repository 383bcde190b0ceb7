#include "sglang_reply.h"

#include <algorithm>
#include <string>
#include <utility>

#include "error.h"
#include "sglang_fields.h"

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
  if (fields.outputIds && !fields.outputIds->empty()) {
    mismatch("output_ids has " + std::to_string(fields.outputIds->size()) +
             " tokens, but there are no output_token_logprobs");
  }
}

void checkOutputIds(const SglangFields& fields) {
  if (!fields.outputIds) return;
  const std::vector<std::int32_t>& said = *fields.outputIds;
  const std::vector<std::int32_t>& ids = fields.metaInfo.ids;
  if (said.size() < ids.size() || !std::equal(ids.rbegin(), ids.rend(), said.rbegin())) {
    mismatch("output_ids does not end with the " + std::to_string(ids.size()) + " ids of output_token_logprobs");
  }
}

std::vector<VersionRun> versionRuns(const SglangMetaInfo& meta, std::int32_t fallback) {
  std::vector<VersionRun> runs;
  const auto count = static_cast<std::int64_t>(meta.ids.size());
  if (meta.weightVersions.empty()) {
    if (count > 0) appendVersion(runs, 0, meta.weightVersion.value_or(fallback));
    return runs;
  }
  std::int64_t end = 0;
  for (const WeightVersionSpan& span : meta.weightVersions) {
    if (span.start != end || span.end < span.start || span.end > count) {
      mismatch("weight_versions has a span " + std::to_string(span.start) + " to " + std::to_string(span.end) +
               " after " + std::to_string(end) + " of " + std::to_string(count) + " tokens");
    }
    if (span.end > span.start) {
      appendVersion(runs, static_cast<std::uint32_t>(span.start), span.version.value_or(fallback));
    }
    end = span.end;
  }
  if (end != count) {
    mismatch("weight_versions covers " + std::to_string(end) + " of " + std::to_string(count) + " tokens");
  }
  return runs;
}

/// The lists as rows of equal width, which are moved where they are that already.
TopLogprobs topRows(TopLists top, std::size_t tokens) {
  const std::size_t rows = top.counts.size();
  if (rows == 0) return {};
  if (rows != tokens) {
    mismatch("output_top_logprobs has " + std::to_string(rows) + " lists for " + std::to_string(tokens) + " tokens");
  }
  const std::size_t width = *std::max_element(top.counts.begin(), top.counts.end());
  if (width == 0) return {};
  if (top.ids.size() == rows * width) return {width, std::move(top.ids), std::move(top.logprobs)};
  std::vector<std::int32_t> ids(rows * width, TopLogprobs::kUnused);
  std::vector<float> logprobs(rows * width);
  for (std::size_t row = 0, from = 0; row < rows; from += top.counts[row++]) {
    std::copy_n(top.ids.begin() + from, top.counts[row], ids.begin() + row * width);
    std::copy_n(top.logprobs.begin() + from, top.counts[row], logprobs.begin() + row * width);
  }
  return {width, std::move(ids), std::move(logprobs)};
}

}  // namespace

EngineReply readSglangReply(std::span<const std::uint8_t> body, std::int32_t fallbackVersion) {
  JsonCursor json(body);
  SglangFields fields = readSglangFields(json);
  SglangMetaInfo& meta = fields.metaInfo;
  if (meta.hasLogprobs) {
    checkCount("completion_tokens", meta.completionTokens, meta.ids.size());
    checkCount("output_token_logprobs_length", meta.logprobsLength, meta.ids.size());
    checkOutputIds(fields);
  } else {
    checkNothingGenerated(fields);
  }
  EngineReply reply;
  std::vector<VersionRun> runs = versionRuns(meta, fallbackVersion);
  TopLogprobs top = meta.top ? topRows(std::move(*meta.top), meta.ids.size()) : TopLogprobs{};
  reply.tokens = Generation(std::move(meta.ids), std::move(meta.logprobs), std::move(runs), std::move(top));
  reply.id = std::move(meta.id);
  reply.finish = std::move(meta.finish);
  reply.promptTokens = meta.promptTokens;
  reply.completionTokens = meta.completionTokens;
  reply.cachedTokens = meta.cachedTokens;
  return reply;
}

}  // namespace rolltape
