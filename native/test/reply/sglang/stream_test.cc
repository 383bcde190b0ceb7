#include "../../../core/reply/sglang/stream.h"

#include <gtest/gtest.h>

#include "../stream_support.h"

namespace rolltape {
namespace {

using test::SampledToken;

/// How a server writes its stream.
struct Style {
  bool cumulative;
  /// Old builds: deltas of output_ids beside cumulative log probabilities.
  bool deltaIds = false;
  bool spans = false;
  bool lengthField = true;
  std::string comma = ",";
};

std::string entry(std::int32_t id, float logprob, const Style& style) {
  return "[" + test::jsonNumber(logprob) + style.comma + std::to_string(id) + style.comma + "null]";
}

template <typename Write>
std::string list(std::size_t from, std::size_t to, const Style& style, Write write) {
  std::string text = "[";
  for (std::size_t i = from; i < to; ++i) text += (i == from ? "" : style.comma) + write(i);
  return text + "]";
}

std::string spansOf(const std::vector<SampledToken>& tokens, std::size_t end) {
  std::string text;
  for (std::size_t i = 0; i < end;) {
    std::size_t to = i;
    while (to < end && tokens[to].version == tokens[i].version) ++to;
    text += (text.empty() ? "" : ",") + ("{\"version\":\"" + std::to_string(tokens[i].version)) +
            "\",\"start\":" + std::to_string(i) + ",\"end\":" + std::to_string(to) + "}";
    i = to;
  }
  return "[" + text + "]";
}

/// A frame after which the stream has brought `end` of the tokens, `start` of which came before.
std::string frame(const std::vector<SampledToken>& tokens, std::size_t start, std::size_t end, const Style& style,
                  const std::string& finish) {
  const std::size_t from = style.cumulative ? 0 : start;
  const std::string total = std::to_string(end);
  std::string text =
      "{\"text\":\"" + std::string(3 * (end - from), 'w') + "\",\"output_ids\":" +
      list(style.deltaIds ? start : from, end, style, [&](std::size_t i) { return std::to_string(tokens[i].id); }) +
      ",\"meta_info\":{\"id\":\"r\",\"finish_reason\":" + finish + ",\"prompt_tokens\":7,\"weight_version\":\"" +
      std::to_string(end > 0 ? tokens[end - 1].version : 0) + "\",\"completion_tokens\":" + total;
  if (style.spans) text += ",\"weight_versions\":" + spansOf(tokens, end);
  text += ",\"output_token_logprobs\":" +
          list(from, end, style, [&](std::size_t i) { return entry(tokens[i].id, tokens[i].logprob, style); });
  if (style.lengthField) text += ",\"output_token_logprobs_length\":" + total;
  if (!tokens.empty() && !tokens[0].top.empty()) {
    text += ",\"output_top_logprobs\":" + list(from, end, style, [&](std::size_t i) {
              return list(0, tokens[i].top.size(), style,
                          [&](std::size_t k) { return entry(tokens[i].top[k], -1.0f - static_cast<float>(k), style); });
            });
  }
  return "data: " + text + "}}\n\n";
}

constexpr const char* kStop = "{\"type\":\"stop\",\"matched\":13}";

/// A whole stream of the tokens, cut into random frames, some of which bring nothing.
std::string streamOf(const std::vector<SampledToken>& tokens, const Style& style, test::Random& random) {
  std::string text;
  std::size_t start = 0;
  while (start < tokens.size()) {
    std::size_t end = std::min(tokens.size(), start + random.below(9));
    // Without spans, a frame names the version of all its tokens.
    if (!style.spans) {
      for (std::size_t i = start; i < end; ++i) {
        if (tokens[i].version != tokens[start].version) end = i;
      }
    }
    text += frame(tokens, start, end, style, end == tokens.size() ? kStop : "null");
    start = end;
  }
  return text + "data: [DONE]\n\n";
}

TEST(SglangStream, GivesTheTokensOfEveryStyleHoweverItIsCut) {
  test::Random random(11);
  for (int round = 0; round < 400; ++round) {
    Style style{random.chance(0.5)};
    style.deltaIds = style.cumulative && random.chance(0.3);
    style.spans = random.chance(0.5);
    style.lengthField = random.chance(0.7);
    if (random.chance(0.3)) style.comma = ", ";
    const auto tokens = test::sampledTokens(random, 1 + random.below(80), random.below(3));
    const std::uint32_t before = random.below(3);
    Generation generation = test::generationOf(std::vector<std::int32_t>(before, 5), 50);
    ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
    test::pushInPieces(stream, generation, streamOf(tokens, style, random), random);
    const EngineReply reply = stream.end(generation);
    ASSERT_NO_FATAL_FAILURE(test::expectTokens(generation, before, tokens)) << round;
    EXPECT_EQ("r", reply.id);
    EXPECT_EQ("stop", reply.finish->type);
    EXPECT_EQ(7, reply.promptTokens);
    EXPECT_EQ(static_cast<std::int64_t>(tokens.size()), reply.completionTokens);
  }
}

const std::vector<SampledToken> kTokens{{11, -0.5f, 3, {}}, {12, -0.25f, 3, {}}, {12, -0.25f, 3, {}}, {13, -1, 3, {}}};
const Style kCumulative{true};
const Style kDelta{false};

TEST(SglangStream, ShowsAChangeOfVersionsInsideAFrame) {
  const std::vector<SampledToken> tokens{{11, -0.5f, 3, {}}, {12, -0.25f, 3, {}}, {12, -0.25f, 4, {}}, {13, -1, 4, {}}};
  const auto named = [&](std::vector<std::size_t> ends, Style style) {
    Generation generation;
    ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
    std::size_t start = 0;
    for (const std::size_t end : ends) {
      const std::string text = frame(tokens, start, end, style, end == tokens.size() ? kStop : "null");
      stream.push(test::bytesOf(text), generation);
      start = end;
    }
    return stream.end(generation).versions;
  };
  EXPECT_FALSE(named({2, 3, 4}, kDelta).mixed);
  EXPECT_TRUE(named({1, 3, 4}, kDelta).mixed);
  EXPECT_EQ(VersionNaming::kReply, named({1, 3, 4}, kDelta).naming);
  EXPECT_EQ(2u, named({2, 4}, kDelta).firstCount);
  EXPECT_EQ(3, named({2, 4}, kDelta).first);
  EXPECT_EQ(4, named({2, 4}, kDelta).last);
  Style spans{true};
  spans.spans = true;
  EXPECT_FALSE(named({1, 3, 4}, spans).mixed);
  EXPECT_EQ(VersionNaming::kSpans, named({1, 3, 4}, spans).naming);
}

TEST(SglangStream, GivesTokensThatNobodyNamesTheVersionOfTheirTime) {
  const auto unnamed = [](int id, int total, const char* more) {
    return "data: {\"meta_info\":{\"weight_version\":\"default\",\"output_token_logprobs\":[[-1," + std::to_string(id) +
           ",null]],\"completion_tokens\":" + std::to_string(total) + more + "}}\n\n";
  };
  const auto versions = [&](const char* spans) {
    Generation generation;
    ReplyStream stream(std::make_unique<SglangStream>(generation, 5));
    stream.push(test::bytesOf(unnamed(1, 1, "")), generation);
    stream.setUnnamedVersion(6);
    stream.push(test::bytesOf(unnamed(2, 2, spans)), generation);
    stream.end(generation);
    return std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end());
  };
  const std::string stop = std::string(",\"finish_reason\":") + kStop;
  const std::string all = stop + R"(,"weight_versions":[{"version":"default","start":0,"end":2}])";
  EXPECT_EQ((std::vector<VersionRun>{{0, 5}, {1, 6}}), versions(stop.c_str()));
  EXPECT_EQ((std::vector<VersionRun>{{0, 5}, {1, 6}}), versions(all.c_str()));
  // Tokens before the first version that somebody gave were sampled before it was given.
  const std::string some =
      stop + R"(,"weight_versions":[{"version":"default","start":0,"end":1},{"version":"8","start":1,"end":2}])";
  EXPECT_EQ((std::vector<VersionRun>{{0, 5}, {1, 8}}), versions(some.c_str()));
}

Generation readAll(const std::string& text) {
  Generation generation;
  ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
  stream.push(test::bytesOf(text), generation);
  stream.end(generation);
  return generation;
}

TEST(SglangStream, TellsADeltaThatLooksLikeWhatIsKnownFromARepetition) {
  // Every delta is the same token again.
  const std::vector<SampledToken> same(6, SampledToken{7, 0, 3, {}});
  const std::string text = frame(same, 0, 1, kDelta, "null") + frame(same, 1, 3, kDelta, "null") +
                           frame(same, 3, 4, kDelta, "null") + frame(same, 4, 6, kDelta, kStop) + "data: [DONE]\n\n";
  const Generation generation = readAll(text);
  test::expectTokens(generation, 0, same);
}

TEST(SglangStream, MayEndWithAFrameThatRepeatsNoTokens) {
  const std::string last = R"(data: {"meta_info":{"finish_reason":{"type":"stop"},"completion_tokens":3}})"
                           "\n\ndata: [DONE]\n\n";
  std::vector<SampledToken> tokens(kTokens.begin(), kTokens.begin() + 3);
  for (const bool hasTop : {false, true}) {
    for (SampledToken& token : tokens) token.top.assign(hasTop ? 1 : 0, 50);
    const std::string first = frame(tokens, 0, 2, kCumulative, "null") + frame(tokens, 2, 3, kCumulative, "null");
    test::expectTokens(readAll(first + last), 0, tokens);
  }
}

TEST(SglangStream, RefusesALastFrameThatChangesAnEarlierToken) {
  std::vector<SampledToken> changed = kTokens;
  changed[0].id = 99;
  const std::string first = frame(kTokens, 0, 2, kCumulative, "null") + frame(kTokens, 2, 3, kCumulative, "null");
  EXPECT_NO_THROW(readAll(first + frame(kTokens, 3, 4, kCumulative, kStop) + "data: [DONE]\n\n"));
  EXPECT_CODE(kReplyMismatch, readAll(first + frame(changed, 3, 4, kCumulative, kStop)));
  changed = kTokens;
  changed[1].logprob = -0.125f;
  EXPECT_CODE(kReplyMismatch, readAll(first + frame(changed, 3, 4, kCumulative, kStop)));
}

TEST(SglangStream, RefusesFramesWhoseCountsDoNotFit) {
  const std::string first = frame(kTokens, 0, 2, kDelta, "null");
  EXPECT_CODE(kReplyMismatch, readAll(first + frame(kTokens, 3, 4, kDelta, kStop)));
  std::string other = frame(kTokens, 2, 4, kDelta, kStop);
  other.replace(other.find("\"output_ids\":[12"), 16, "\"output_ids\":[11");
  EXPECT_CODE(kReplyMismatch, readAll(first + other));
  EXPECT_CODE(kReplyMismatch,
              readAll(first + R"(data: {"output_ids":[],"meta_info":{"completion_tokens":4}})" + "\n\n"));
  EXPECT_CODE(kReplyMismatch, readAll(frame(kTokens, 0, 4, kDelta, kStop) + frame(kTokens, 0, 4, kCumulative, kStop)));
}

TEST(SglangStream, RefusesAStreamThatEndsBeforeTheGenerationDoes) {
  EXPECT_CODE(kReplyMalformed, readAll(frame(kTokens, 0, 4, kDelta, "null")));
  EXPECT_CODE(kReplyMalformed, readAll(frame(kTokens, 0, 4, kDelta, kStop) + "data: [DO"));
  EXPECT_CODE(kReplyMalformed, readAll("data: [DONE]\n\ndata: {}\n\n"));
  EXPECT_CODE(kReplyMalformed, readAll("data: {\"meta\n\n"));
  EXPECT_CODE(kReplyMalformed, readAll(""));
}

TEST(SglangStream, KeepsTheFramesBeforeOneThatFailsAndNothingOfThat) {
  Generation generation;
  ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
  std::string bad = frame(kTokens, 2, 4, kDelta, kStop);
  bad.replace(bad.find("[-1,13"), 3, "[NaN");
  stream.push(test::bytesOf(frame(kTokens, 0, 2, kDelta, "null")), generation);
  EXPECT_CODE(kReplyNotFinite, stream.push(test::bytesOf(bad), generation));
  EXPECT_EQ(2u, generation.length());
}

TEST(SglangStream, TakesAnAbortInTheQueueAndAnErrorForWhatTheyAre) {
  const std::string queued =
      R"(data: {"output_ids":[],"meta_info":{"id":"r","finish_reason":{"type":"abort","message":"Abort in waiting queue"},"completion_tokens":0}})"
      "\n\ndata: [DONE]\n\n";
  Generation generation;
  ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
  stream.push(test::bytesOf(queued), generation);
  EXPECT_EQ("abort", stream.end(generation).finish->type);
  EXPECT_EQ(0u, generation.length());

  ReplyStream failing(std::make_unique<SglangStream>(generation, 9));
  failing.push(test::bytesOf("data: {\"error\":{\"message\":\"out of memory\"}}\n\n"), generation);
  const EngineReply reply = failing.end(generation);
  EXPECT_EQ((EngineFailure{"out of memory", std::nullopt}), reply.error);
  EXPECT_FALSE(reply.finish);
}

TEST(SglangStream, TakesNothingButTheReasonFromTheFrameOfARefusal) {
  const std::string refused =
      R"(data: {"output_ids":[293],"meta_info":{"id":"r","finish_reason":{"type":"abort","message":"no","status_code":400,)"
      R"("err_type":"BadRequestError"},"prompt_tokens":1,"output_token_logprobs":[],"output_token_logprobs_length":0,)"
      R"("completion_tokens":1,"cached_tokens":0,"weight_versions":[{"version":"1","start":0,"end":1}]}})"
      "\n\ndata: [DONE]\n\n";
  Generation generation;
  ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
  stream.push(test::bytesOf(refused), generation);
  const EngineReply reply = stream.end(generation);
  EXPECT_EQ(400, reply.finish->statusCode);
  EXPECT_EQ("no", reply.finish->message);
  EXPECT_FALSE(reply.promptTokens);
  EXPECT_EQ(0u, generation.length());
  // A generation that had begun has log probabilities for all of its tokens.
  EXPECT_CODE(kReplyMismatch, readAll(frame(kTokens, 0, 2, kCumulative, "null") + refused));
}

TEST(SglangStream, HasOnlyTheLastIdOfACallThatWasAbortedInTheQueueAgain) {
  const Generation generation =
      readAll(frame(kTokens, 0, 2, kCumulative, "null") +
              R"(data: {"output_ids":[12],"meta_info":{"finish_reason":{"type":"abort"},"completion_tokens":2}})"
              "\n\n");
  EXPECT_EQ(2u, generation.length());
}

TEST(SglangStream, KeepsNothingOfALastFrameWhoseSpansDoNotCoverTheTokens) {
  Style style = kCumulative;
  style.spans = true;
  const std::string first = frame(kTokens, 0, 2, style, "null");
  std::string last = frame(kTokens, 0, 4, style, kStop);
  const std::string end = "\"end\":4}";
  ASSERT_NE(std::string::npos, last.find(end));
  last.replace(last.find(end), end.size(), "\"end\":5}");
  Generation generation = test::generationOf({5}, 50);
  ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
  stream.push(test::bytesOf(first), generation);
  EXPECT_CODE(kReplyMismatch, stream.push(test::bytesOf(last), generation));
  test::expectTokens(generation, 1, {kTokens.begin(), kTokens.begin() + 2});
}

TEST(SglangStream, IsNotReadOnAfterItsTokensWereCutOff) {
  for (const std::uint32_t kept : {0u, 1u, 2u}) {
    Generation generation = test::generationOf({5, 6});
    ReplyStream stream(std::make_unique<SglangStream>(generation, 9));
    stream.push(test::bytesOf(frame(kTokens, 0, 2, kCumulative, "null")), generation);
    generation.truncate(kept, 2);
    EXPECT_CODE(kInvalidArg, stream.push(test::bytesOf(frame(kTokens, 0, 4, kCumulative, kStop)), generation));
    EXPECT_CODE(kInvalidArg, stream.end(generation));
    EXPECT_EQ(kept, generation.length());
  }
}

}  // namespace
}  // namespace rolltape
