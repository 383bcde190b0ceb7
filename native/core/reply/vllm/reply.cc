#include "reply.h"

#include <utility>

#include "choice.h"

namespace rolltape {

EngineReply readVllmReply(std::span<const std::uint8_t> body, std::int32_t fallbackVersion, std::size_t topWidth,
                          const AskedValues& asked) {
  JsonCursor json(body);
  EngineReply reply;
  VllmFields fields = readVllmFields(json, reply.versions, topWidth, asked);
  if (fields.choices.size() != 1) json.fail("expected one choice");
  VllmChoice& choice = fields.choices.front();
  Generation tokens = vllmTokens(choice, fallbackVersion);
  const std::vector<VersionRun> versions = vllmVersions(choice, tokens.length(), fallbackVersion, reply.versions);
  if (choice.experts) addExperts(tokens, *asked.experts, std::move(*choice.experts), tokens.length());
  reply.hasExperts = choice.experts.has_value();
  addVllmMasks(tokens, asked, choice, reply);
  reply.hasTokenIds = choice.logprobs && addTokenIdsLogprobs(tokens, asked.tokenIds, choice.logprobs->tokenIds);
  reply.tokens.append(std::move(tokens), 0, versions);
  checkVllmCount(fields.completionTokens, reply.tokens.length());
  reply.id = std::move(fields.id);
  reply.finish = std::move(choice.finish);
  reply.promptTokens = fields.promptTokens;
  reply.completionTokens = fields.completionTokens;
  reply.cachedTokens = fields.cachedTokens;
  return reply;
}

}  // namespace rolltape
