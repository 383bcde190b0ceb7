#include "../../../core/reply/vllm/reply.h"

#include <gtest/gtest.h>

#include "../../../core/reply/vllm/stream.h"
#include "../stream_support.h"

namespace rolltape {
namespace {

using test::SampledToken;
using Ids = std::vector<std::int32_t>;

EngineReply read(std::string_view body, std::size_t topWidth = 0) {
  return readVllmReply(test::bytesOf(body), 9, topWidth);
}

/// The three ways in which servers write log probabilities.
enum class Shape { kTokenNames, kTokenIds, kCompletions };

std::string name(std::int32_t id) {
  return "\"token_id:" + std::to_string(id) + "\"";
}

std::string contentEntry(std::int32_t id, float logprob, Shape shape) {
  const std::string token = shape == Shape::kTokenIds ? "\"token_id\":" + std::to_string(id) + ",\"rank\":1"
                                                      : "\"token\":" + name(id) + ",\"bytes\":[104,105]";
  return "{" + token + ",\"logprob\":" + test::jsonNumber(logprob);
}

std::string contentOf(const SampledToken& token, Shape shape) {
  std::string text = contentEntry(token.id, token.logprob, shape) + ",\"top_logprobs\":[";
  for (std::size_t k = 0; k < token.top.size(); ++k) {
    text += (k == 0 ? "" : ",") + contentEntry(token.top[k], -1.0f - static_cast<float>(k), shape) + "}";
  }
  return text + "]}";
}

std::string topObject(const SampledToken& token) {
  std::string text = "{";
  for (std::size_t k = 0; k < token.top.size(); ++k) {
    text += (k == 0 ? "" : ",") + name(token.top[k]) + ":" + test::jsonNumber(-1.0f - static_cast<float>(k));
  }
  return text + "}";
}

template <typename Write>
std::string list(std::span<const SampledToken> tokens, Write write) {
  std::string text = "[";
  for (const SampledToken& token : tokens) text += (text.size() == 1 ? "" : ",") + write(token);
  return text + "]";
}

std::string logprobsOf(std::span<const SampledToken> tokens, Shape shape) {
  if (shape != Shape::kCompletions) {
    return "{\"content\":" + list(tokens, [&](const SampledToken& token) { return contentOf(token, shape); }) + "}";
  }
  return "{\"text_offset\":[0],\"tokens\":" + list(tokens, [](const SampledToken& token) { return name(token.id); }) +
         ",\"token_logprobs\":" +
         list(tokens, [](const SampledToken& token) { return test::jsonNumber(token.logprob); }) +
         ",\"top_logprobs\":" + list(tokens, topObject) + "}";
}

/// A reply or a frame; `more` are further members of the choice.
std::string reply(std::span<const SampledToken> tokens, Shape shape, const std::string& more) {
  return "{\"id\":\"cmpl-1\",\"choices\":[{\"index\":0,\"text\":\"\",\"prompt_token_ids\":[1,2,3],\"token_ids\":" +
         list(tokens, [](const SampledToken& token) { return std::to_string(token.id); }) +
         ",\"logprobs\":" + logprobsOf(tokens, shape) + more + "}]";
}

std::string usage(std::size_t tokens) {
  return ",\"usage\":{\"prompt_tokens\":3,\"total_tokens\":9,\"completion_tokens\":" + std::to_string(tokens) +
         ",\"prompt_tokens_details\":{\"cached_tokens\":2}}";
}

constexpr const char* kLength = ",\"finish_reason\":\"length\",\"stop_reason\":null";

std::vector<SampledToken> oneVersion(std::vector<SampledToken> tokens, std::int32_t version) {
  for (SampledToken& token : tokens) token.version = version;
  return tokens;
}

TEST(VllmReply, GivesTheTokensInEveryShapeWholeAndStreamed) {
  test::Random random(5);
  for (int round = 0; round < 300; ++round) {
    const auto shape = static_cast<Shape>(random.below(3));
    const std::size_t top = random.below(3);
    const auto tokens = oneVersion(test::sampledTokens(random, 1 + random.below(40), top), 9);

    const EngineReply whole = read(reply(tokens, shape, kLength) + usage(tokens.size()) + "}", top);
    ASSERT_NO_FATAL_FAILURE(test::expectTokens(whole.tokens, 0, tokens)) << round;
    EXPECT_EQ("length", whole.finish->type);

    Generation generation = test::generationOf({5, 6}, 50);
    ReplyStream stream(std::make_unique<VllmStream>(generation, 9, top));
    std::string text;
    for (std::size_t start = 0; start < tokens.size();) {
      const std::size_t end = std::min(tokens.size(), start + 1 + random.below(6));
      const auto part = std::span(tokens).subspan(start, end - start);
      text += "data: " + reply(part, shape, end == tokens.size() ? kLength : "") + "}\n\n";
      start = end;
    }
    text += "data: {\"choices\":[]" + usage(tokens.size()) + "}\n\ndata: [DONE]\n\n";
    test::pushInPieces(stream, generation, text, random);
    const EngineReply streamed = stream.end(generation);
    ASSERT_NO_FATAL_FAILURE(test::expectTokens(generation, 2, tokens)) << round;
    for (const EngineReply* either : {&whole, &streamed}) {
      EXPECT_EQ("length", either->finish->type);
      EXPECT_EQ("cmpl-1", either->id);
      EXPECT_EQ(3, either->promptTokens);
      EXPECT_EQ(2, either->cachedTokens);
      EXPECT_EQ(static_cast<std::int64_t>(tokens.size()), either->completionTokens);
    }
  }
}

const std::vector<SampledToken> kTwo{{11, -0.5f, 9, {}}, {12, -0.25f, 9, {}}};

TEST(VllmReply, KeepsTheMostLikelyAlternativesAndLeavesOutExcludedOnes) {
  const EngineReply got = read(
      R"({"choices":[{"token_ids":[7],"finish_reason":"stop","stop_reason":"END","logprobs":{"tokens":["token_id:7"],
      "token_logprobs":[-3.5],"top_logprobs":[{"token_id:7":-3.5,"token_id:2":-0.5,"token_id:3":-9999.0,"token_id:1":-0.25}]}}]})",
      2);
  EXPECT_EQ((Ids{1, 2}), Ids(got.tokens.top().ids().begin(), got.tokens.top().ids().end()));
  EXPECT_EQ("END", std::get<std::string>(got.finish->matched));
}

TEST(VllmReply, HasTheLastOfSeveralIds) {
  const std::string choices = R"("choices":[{"token_ids":[],"finish_reason":"stop"}])";
  EXPECT_EQ("a", read("{\"id\":\"a\"," + choices + "}").id);
  EXPECT_EQ(std::nullopt, read("{\"id\":\"a\",\"id\":null," + choices + "}").id);
}

TEST(VllmReply, HasTheVersionsOfItsSpans) {
  const std::string spans = R"(,"weight_versions":[{"version":4,"start":0,"end":1},{"version":"5","start":1,"end":2}])";
  const EngineReply got = read(reply(kTwo, Shape::kTokenIds, kLength + spans) + "}");
  EXPECT_EQ((std::vector<VersionRun>{{0, 4}, {1, 5}}),
            std::vector<VersionRun>(got.tokens.versionRuns().begin(), got.tokens.versionRuns().end()));
  const std::string gap = R"(,"weight_versions":[{"version":4,"start":1,"end":2}])";
  EXPECT_CODE(kReplyMismatch, read(reply(kTwo, Shape::kTokenIds, kLength + gap) + "}"));
}

TEST(VllmReply, RefusesWhatCannotBeRecordedExactly) {
  const auto choice = [](const std::string& members) { return "{\"choices\":[{" + members + "}]}"; };
  const std::string logprobs = R"("logprobs":{"tokens":["token_id:1"],"token_logprobs":[-1]})";
  EXPECT_NO_THROW(read(choice("\"token_ids\":[1]," + logprobs)));
  EXPECT_CODE(kReplyMismatch, read(choice("\"token_ids\":[2]," + logprobs)));
  EXPECT_CODE(kReplyMismatch, read(choice("\"token_ids\":[1,1]," + logprobs)));
  EXPECT_CODE(kReplyMismatch, read(choice("\"token_ids\":[1],\"logprobs\":null")));
  EXPECT_CODE(kReplyMismatch, read(choice(logprobs)));
  EXPECT_CODE(kReplyMismatch, read(choice("\"text\":\"hello\"")));
  EXPECT_CODE(kReplyMismatch,
              read("{\"choices\":[{\"token_ids\":[1]," + logprobs + "}],\"usage\":{\"completion_tokens\":2}}"));
  EXPECT_CODE(kReplyMalformed,
              read(choice(R"("token_ids":[1],"logprobs":{"tokens":[" hello"],"token_logprobs":[-1]})")));
  EXPECT_CODE(kReplyMalformed,
              read(choice(R"("token_ids":[1],"logprobs":{"content":[{"token":"hello","logprob":-1}]})")));
  for (const char* bad : {"NaN", "null", "-9999.0", "1e999"}) {
    const std::string text = bad;
    EXPECT_CODE(
        kReplyNotFinite,
        read(choice(R"("token_ids":[1],"logprobs":{"tokens":["token_id:1"],"token_logprobs":[)" + text + "]}")));
    EXPECT_CODE(kReplyNotFinite,
                read(choice(R"("token_ids":[1],"logprobs":{"content":[{"token_id":1,"logprob":)" + text + "}]}")));
  }
  EXPECT_CODE(kReplyMalformed, read("{\"choices\":[]}"));
  EXPECT_CODE(kReplyMalformed,
              read("{\"choices\":[{\"token_ids\":[],\"finish_reason\":\"stop\"},{\"token_ids\":[]}]}"));
}

/// A reply that names the ids of its prompt.
std::string replyWithPrompt(const std::string& ids) {
  return "{\"prompt_token_ids\":" + ids + ",\"choices\":[{\"index\":0,\"token_ids\":[1],\"logprobs\":" +
         R"({"content":[{"token":"token_id:1","logprob":-1.5}]},"finish_reason":"length"}]})";
}

TEST(VllmReply, RefusesAnotherPromptThanTheOneThatWasAskedFor) {
  const AskedValues asked{.promptIds = {7, 8, 9}};
  const auto read = [&](const std::string& ids) {
    return readVllmReply(test::bytesOf(replyWithPrompt(ids)), 9, 0, asked).tokens.length();
  };
  EXPECT_EQ(1u, read("[7,8,9]"));
  // Servers that were not asked for the ids write null.
  EXPECT_EQ(1u, read("null"));
  for (const char* other : {"[7,8]", "[7,8,9,9]", "[7,9,8]", "[]"}) EXPECT_CODE(kReplyOtherPrompt, read(other));
  EXPECT_CODE(kReplyMalformed, read("[7,8,\"9\"]"));
  EXPECT_EQ(1u, readVllmReply(test::bytesOf(replyWithPrompt("[1]")), 9, 0).tokens.length());
}

TEST(VllmStream, KeepsNothingOfAReplyToAnotherPrompt) {
  Generation generation = test::generationOf({5, 6}, 50);
  const AskedValues asked{.promptIds = {7, 8, 9}};
  ReplyStream stream(std::make_unique<VllmStream>(generation, 9, 0, asked));
  const std::string frame = "data: " + replyWithPrompt("[7,8,8]") + "\n\n";
  EXPECT_CODE(kReplyOtherPrompt, stream.push(test::bytesOf(frame), generation));
  EXPECT_EQ(2u, generation.length());
}

TEST(VllmStream, TakesNullForWhatAnErrorDoesNotHave) {
  Generation generation;
  ReplyStream failing(std::make_unique<VllmStream>(generation, 9, 0));
  failing.push(test::bytesOf("data: {\"id\":null,\"choices\":null,\"error\":{\"message\":\"no memory\"}}\n\n"
                             "data: [DONE]\n\n"),
               generation);
  const EngineReply reply = failing.end(generation);
  EXPECT_EQ((EngineFailure{"no memory", std::nullopt}), reply.error);
  EXPECT_FALSE(reply.id);
}

TEST(VllmStream, MayEndWithoutAFinishReasonAndSaysWhatWentWrong) {
  Generation generation;
  ReplyStream stream(std::make_unique<VllmStream>(generation, 9, 0));
  stream.push(test::bytesOf("data: " + reply(kTwo, Shape::kTokenIds, "") + "}\n\ndata: [DONE]\n\n"), generation);
  EXPECT_FALSE(stream.end(generation).finish);
  EXPECT_EQ(2u, generation.length());

  ReplyStream failing(std::make_unique<VllmStream>(generation, 9, 0));
  failing.push(test::bytesOf("data: {\"error\":{\"message\":\"no memory\",\"code\":500}}\n\ndata: [DONE]\n\n"),
               generation);
  EXPECT_EQ((EngineFailure{"no memory", 500}), failing.end(generation).error);

  ReplyStream cut(std::make_unique<VllmStream>(generation, 9, 0));
  cut.push(test::bytesOf("data: " + reply(kTwo, Shape::kTokenIds, "") + "}\n\n"), generation);
  EXPECT_CODE(kReplyMalformed, cut.end(generation));
}

TEST(VllmStream, RefusesACountThatIsNotThatOfItsTokens) {
  Generation generation;
  ReplyStream stream(std::make_unique<VllmStream>(generation, 9, 0));
  stream.push(test::bytesOf("data: " + reply(kTwo, Shape::kCompletions, kLength) + "}\n\ndata: {\"choices\":[]" +
                            usage(3) + "}\n\ndata: [DONE]\n\n"),
              generation);
  EXPECT_CODE(kReplyMismatch, stream.end(generation));
}

TEST(VllmStream, KeepsNothingOfALastFrameWhoseSpansDoNotCoverTheTokens) {
  Generation generation = test::generationOf({5}, 3);
  ReplyStream stream(std::make_unique<VllmStream>(generation, 9, 0));
  stream.push(test::bytesOf("data: " + reply(kTwo, Shape::kTokenIds, "") + "}\n\n"), generation);
  const std::string gap = R"(,"weight_versions":[{"version":4,"start":0,"end":3}])";
  EXPECT_CODE(
      kReplyMismatch,
      stream.push(test::bytesOf("data: " + reply(kTwo, Shape::kTokenIds, kLength + gap) + "}\n\n"), generation));
  EXPECT_EQ(3u, generation.length());
  EXPECT_EQ((std::vector<VersionRun>{{0, 3}, {1, 9}}),
            std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
}

TEST(VllmStream, TakesTheVersionsOfAllItsTokensFromTheLastFrame) {
  Generation generation = test::generationOf({5}, 3);
  ReplyStream stream(std::make_unique<VllmStream>(generation, 9, 0));
  const std::string spans = R"(,"weight_versions":[{"version":4,"start":0,"end":1},{"version":5,"start":1,"end":4}])";
  stream.push(test::bytesOf("data: " + reply(kTwo, Shape::kTokenIds, "") +
                            "}\n\ndata: " + reply(kTwo, Shape::kTokenIds, kLength + spans) + "}\n\n"),
              generation);
  EXPECT_EQ((std::vector<VersionRun>{{0, 3}, {1, 4}, {2, 5}}),
            std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
}

TEST(VllmStream, IsNotReadOnAfterItsTokensWereCutOff) {
  Generation generation = test::generationOf({5});
  ReplyStream stream(std::make_unique<VllmStream>(generation, 9, 0));
  const std::string text = "data: " + reply(kTwo, Shape::kTokenIds, "") + "}\n\n";
  const auto frame = test::bytesOf(text);
  stream.push(frame, generation);
  generation.truncate(0, 0);
  EXPECT_CODE(kInvalidArg, stream.push(frame, generation));
  EXPECT_CODE(kInvalidArg, stream.end(generation));
  EXPECT_EQ(0u, generation.length());
}

}  // namespace
}  // namespace rolltape
