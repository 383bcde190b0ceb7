#include "choice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "../../base/error.h"

namespace rolltape {

namespace {

[[noreturn]] void mismatch(const std::string& what) {
  throw Error(ErrorCode::kReplyMismatch, what);
}

void checkLengths(const std::vector<std::int32_t>& ids, const VllmLogprobs& logprobs) {
  const std::string count = std::to_string(ids.size());
  if (logprobs.logprobs.size() != ids.size()) {
    mismatch("the choice has " + std::to_string(logprobs.logprobs.size()) + " log probabilities for " + count + " ids");
  }
  if (logprobs.ids != ids) mismatch("the tokens of logprobs are not the " + count + " token_ids");
  const std::size_t lists = logprobs.top.counts.size();
  if (lists > 0 && lists != ids.size()) {
    mismatch("top_logprobs has " + std::to_string(lists) + " lists for " + count + " ids");
  }
}

}  // namespace

Generation vllmTokens(VllmChoice& choice, std::int32_t version) {
  if (!choice.tokenIds || choice.tokenIds->empty()) {
    if (choice.logprobs && !choice.logprobs->logprobs.empty()) mismatch("the choice has log probabilities and no ids");
    if (!choice.tokenIds && !choice.finish) mismatch("the choice has no token_ids");
    return {};
  }
  if (!choice.logprobs) mismatch("the choice has no logprobs");
  checkLengths(*choice.tokenIds, *choice.logprobs);
  return {std::move(*choice.tokenIds),
          std::move(choice.logprobs->logprobs),
          {{0, version}},
          topRows(std::move(choice.logprobs->top))};
}

void addVllmMasks(Generation& tokens, const AskedValues& asked, const VllmChoice& choice, EngineReply& reply) {
  if (!choice.masks) return;
  reply.longestMask = std::max(reply.longestMask, addMasks(tokens, *asked.masks, *choice.masks));
  reply.hasMasks = true;
}

std::vector<VersionRun> vllmVersions(const VllmChoice& choice, std::int64_t count, std::int32_t version,
                                     NamedVersions& named) {
  if (choice.weightVersions.empty()) return {};
  if (!covers(choice.weightVersions, 0, count)) {
    mismatch("the spans of weight_versions do not cover the " + std::to_string(count) + " tokens one after the other");
  }
  if (!noteSpans(choice.weightVersions, named)) return {};
  return versionRuns(choice.weightVersions, 0, count, version);
}

void checkVllmCount(const std::optional<std::int64_t>& completionTokens, std::size_t count) {
  if (completionTokens && *completionTokens != static_cast<std::int64_t>(count)) {
    mismatch("completion_tokens is " + std::to_string(*completionTokens) + ", but there are " + std::to_string(count));
  }
}

}  // namespace rolltape
