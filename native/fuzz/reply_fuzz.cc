#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "../core/base/error.h"
#include "../core/json/cursor.h"
#include "../core/reply/sglang/reply.h"
#include "json_document.h"
#include "reply_model.h"
#include "require.h"

/// Any bytes as a SGLang reply. The scanner accepts exactly what a reader over a parsed document accepts, reads the
/// same from it, and refuses the rest with its own errors.

namespace {

using namespace rolltape;

constexpr std::int32_t kFallbackVersion = 77;

bool sameBits(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

void requireTokens(const Generation& tokens, const fuzz::ExpectedReply& expected) {
  FUZZ_REQUIRE(std::ranges::equal(tokens.ids(), expected.ids));
  FUZZ_REQUIRE(sameBits(tokens.logprobs(), expected.logprobs));
  std::vector<std::int32_t> versions(tokens.length());
  expandVersions(tokens.versionRuns(), 0, versions);
  FUZZ_REQUIRE(versions == expected.versions);
  FUZZ_REQUIRE(tokens.top().width() == expected.topWidth);
  FUZZ_REQUIRE(std::ranges::equal(tokens.top().ids(), expected.topIds));
  FUZZ_REQUIRE(sameBits(tokens.top().logprobs(), expected.topLogprobs));
}

void requireFinish(const std::optional<EngineFinish>& finish, const std::optional<EngineFinish>& expected) {
  FUZZ_REQUIRE(finish.has_value() == expected.has_value());
  if (!finish) return;
  FUZZ_REQUIRE(finish->type == expected->type);
  FUZZ_REQUIRE(finish->matched == expected->matched);
  FUZZ_REQUIRE(finish->message == expected->message);
  FUZZ_REQUIRE(finish->statusCode == expected->statusCode);
}

/// Adds the reply to a generation that has tokens already, as a resumed call does.
void requireAppended(const Generation& tokens) {
  Generation generation;
  const std::vector<std::int32_t> ids{1, 2};
  const std::vector<float> logprobs{-1, -2};
  generation.append(ids, logprobs, 5);
  generation.append(tokens);
  FUZZ_REQUIRE(generation.length() == tokens.length() + 2);
  FUZZ_REQUIRE(generation.ids()[0] == 1 && generation.logprobs()[1] == -2);
  FUZZ_REQUIRE(std::ranges::equal(generation.ids().subspan(2), tokens.ids()));
  FUZZ_REQUIRE(generation.top().ids().size() == generation.top().width() * generation.length());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = fuzz::parseJson(text, JsonCursor::kMaxDepth);
  const auto expected = document ? fuzz::expectedReply(*document, kFallbackVersion) : std::nullopt;
  std::optional<EngineReply> reply;
  try {
    reply = readSglangReply({data, size}, kFallbackVersion);
  } catch (const Error& error) {
    FUZZ_REQUIRE(document || error.code() == ErrorCode::kReplyMalformed || error.code() == ErrorCode::kReplyNotFinite ||
                 error.code() == ErrorCode::kReplyImpossible);
    FUZZ_REQUIRE(error.code() == ErrorCode::kReplyMalformed || error.code() == ErrorCode::kReplyMismatch ||
                 error.code() == ErrorCode::kReplyNotFinite || error.code() == ErrorCode::kReplyImpossible);
  }
  FUZZ_REQUIRE(reply.has_value() == expected.has_value());
  if (!reply) return 0;
  requireTokens(reply->tokens, *expected);
  requireFinish(reply->finish, expected->finish);
  FUZZ_REQUIRE(reply->id == expected->id);
  FUZZ_REQUIRE(reply->promptTokens == expected->promptTokens);
  FUZZ_REQUIRE(reply->completionTokens == expected->completionTokens);
  FUZZ_REQUIRE(reply->cachedTokens == expected->cachedTokens);
  requireAppended(reply->tokens);
  return 0;
}
