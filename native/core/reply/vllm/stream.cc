#include "stream.h"

#include <utility>

#include "../../base/error.h"

namespace rolltape {

void VllmStream::read(RoomyText frame, Generation& into) {
  JsonCursor json(frame);
  VllmFields fields = readVllmFields(json, end_.versions, topWidth_, asked_, experts());
  if (end_.error || (end_.finish && !fields.choices.empty())) {
    throw Error(ErrorCode::kReplyMismatch, "a frame comes after the last one");
  }
  if (fields.choices.size() > 1) json.fail("expected one choice");
  if (!fields.choices.empty()) readChoice(fields.choices.front(), into);
  const auto keep = [](auto& kept, auto& said) {
    if (said) kept = std::move(said);
  };
  keep(end_.error, fields.error);
  keep(end_.id, fields.id);
  keep(end_.promptTokens, fields.promptTokens);
  keep(end_.completionTokens, fields.completionTokens);
  keep(end_.cachedTokens, fields.cachedTokens);
}

void VllmStream::readChoice(VllmChoice& choice, Generation& into) {
  Generation tokens = vllmTokens(choice, unnamedVersion);
  std::vector<VersionRun> versions;
  // The last frame's spans are those of every token.
  if (choice.finish) {
    versions = vllmVersions(choice, into.length() - base() + tokens.length(), firstVersion_, end_.versions);
  }
  if (choice.experts) {
    addExperts(tokens, *asked_.experts, std::move(*choice.experts), into.length() - base() + tokens.length());
    end_.hasExperts = true;
  }
  addVllmMasks(tokens, asked_, choice, end_);
  if (choice.logprobs && addTokenIdsLogprobs(tokens, asked_.tokenIds, choice.logprobs->tokenIds)) {
    end_.hasTokenIds = true;
  }
  into.append(std::move(tokens), base(), versions);
  end_.finish = std::move(choice.finish);
}

EngineReply VllmStream::end(Generation& into) {
  checkVllmCount(end_.completionTokens, into.length() - base());
  return std::move(end_);
}

}  // namespace rolltape
