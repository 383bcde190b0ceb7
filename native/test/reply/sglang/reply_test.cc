#include "../../../core/reply/sglang/reply.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../../support.h"

namespace rolltape {
namespace {

using Ids = std::vector<std::int32_t>;

EngineReply read(std::string_view body, std::int32_t version = 9) {
  return readSglangReply(test::bytesOf(body), version);
}

/// A reply whose meta_info has these members.
std::string reply(std::string_view meta, std::string_view before = "") {
  return "{" + std::string(before) + "\"meta_info\":{" + std::string(meta) + "}}";
}

Ids idsOf(const EngineReply& reply) {
  return {reply.tokens.ids().begin(), reply.tokens.ids().end()};
}

Ids versionsOf(const EngineReply& reply) {
  Ids versions(reply.tokens.length());
  expandVersions(reply.tokens.versionRuns(), 0, versions);
  return versions;
}

constexpr std::string_view kTwoTokens = "\"output_token_logprobs\":[[-0.5,11,null],[-0.25,12,\"b\"]]";

TEST(SglangReply, GivesWhatAServerOf2026Answers) {
  const EngineReply got = read(
      R"({"text":" Paris\n\u00e9 \"{[","output_ids":[3681,13],"meta_info":{"id":"0f3c","finish_reason":{"type":"stop","matched":13},
      "prompt_tokens":7,"weight_version":"default","total_retractions":0,"completion_tokens":2,"cached_tokens":3,
      "cached_tokens_details":null,"dp_rank":null,"e2e_latency":0.2712,"response_sent_to_client_ts":1772580196.32,
      "input_token_logprobs":[[null,382,null]],"output_token_logprobs":[[-0.014046513475477695,3681,null],[-1e-05,13,null]],
      "output_token_logprobs_length":2,"hidden":{"deep":[{"er":[1,2.5,true,"]}"]}]}}})");
  EXPECT_EQ((Ids{3681, 13}), idsOf(got));
  EXPECT_EQ(static_cast<float>(-0.014046513475477695), got.tokens.logprobs()[0]);
  EXPECT_EQ(static_cast<float>(-1e-05), got.tokens.logprobs()[1]);
  EXPECT_EQ((Ids{9, 9}), versionsOf(got));
  EXPECT_EQ("0f3c", got.id);
  EXPECT_EQ("stop", got.finish->type);
  EXPECT_EQ(13, std::get<std::int64_t>(got.finish->matched));
  EXPECT_EQ(7, got.promptTokens);
  EXPECT_EQ(2, got.completionTokens);
  EXPECT_EQ(3, got.cachedTokens);
  EXPECT_TRUE(got.tokens.top().empty());
}

TEST(SglangReply, TakesKeysInAnyOrderAndEscaped) {
  const EngineReply got = read(
      R"({"meta_info":{"completion_tokens":1,"output_token_logprobs":[[0,5,null]],"weight_version":3,"\u0069d":"x"},"output_ids":[5]})");
  EXPECT_EQ(Ids{5}, idsOf(got));
  EXPECT_EQ(Ids{3}, versionsOf(got));
  EXPECT_EQ("x", got.id);
}

TEST(SglangReply, TheLastOfTwoEqualKeysCounts) {
  EXPECT_EQ(Ids{6}, idsOf(read(reply(R"("output_token_logprobs":[[0,5,null]],"output_token_logprobs":[[0,6,null]])"))));
  const EngineReply later = read(
      R"({"meta_info":{"id":"x","prompt_tokens":1,"output_token_logprobs":[]},"output_ids":[7],"meta_info":{"output_token_logprobs":[[0,7,null]]}})");
  EXPECT_EQ(Ids{7}, idsOf(later));
  EXPECT_FALSE(later.id);
  EXPECT_FALSE(later.promptTokens);
}

TEST(SglangReply, FinishReasons) {
  const auto finish = [](const std::string& json) {
    return read(reply("\"completion_tokens\":0,\"output_token_logprobs\":[],\"finish_reason\":" + json)).finish;
  };
  EXPECT_FALSE(finish("null"));
  EXPECT_EQ("length", finish(R"({"type":"length","length":4})")->type);
  EXPECT_EQ("</s>", std::get<std::string>(finish(R"({"type":"stop","matched":"</s>"})")->matched));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(finish(R"({"type":"stop","matched":[1,2]})")->matched));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(finish(R"({"type":"stop","matched":null})")->matched));
  const auto aborted =
      finish(R"({"type":"abort","message":"Abort in waiting queue","status_code":null,"err_type":null})");
  EXPECT_EQ("abort", aborted->type);
  EXPECT_EQ("Abort in waiting queue", aborted->message);
  EXPECT_FALSE(aborted->statusCode);
  EXPECT_EQ(503, finish(R"({"type":"abort","message":"m","status_code":503})")->statusCode);
  EXPECT_CODE(kReplyMalformed, finish("\"stop\""));
  EXPECT_CODE(kReplyMalformed, finish("{}"));
}

TEST(SglangReply, VersionsComeFromSpans) {
  const auto versions = [](const std::string& more) {
    return versionsOf(read(reply(std::string(kTwoTokens) + "," + more)));
  };
  EXPECT_EQ((Ids{4, 5}),
            versions(R"("weight_versions":[{"version":"4","start":0,"end":1},{"version":5,"start":1,"end":2}])"));
  EXPECT_EQ((Ids{4, 9}),
            versions(R"("weight_versions":[{"version":4,"start":0,"end":1},{"version":"default","start":1,"end":2}])"));
  EXPECT_EQ((Ids{4, 4}),
            versions(R"("weight_version":"7","weight_versions":[{"end":2,"start":0,"version":"4","x":[]}])"));
  EXPECT_EQ((Ids{7, 7}), versions(R"("weight_version":"7","weight_versions":[])"));
  EXPECT_EQ((Ids{7, 7}), versions(R"("weight_version":"7","weight_versions":null)"));
}

TEST(SglangReply, OnlyIntegersAreVersionsAndOtherTextsAreLabels) {
  const auto readOne = [](const std::string& label) {
    return read(reply("\"output_token_logprobs\":[[0,1,null]],\"weight_version\":" + label));
  };
  const auto version = [&](const std::string& label) { return versionsOf(readOne(label))[0]; };
  EXPECT_EQ(12, version("12"));
  EXPECT_EQ(12, version("\"12\""));
  EXPECT_EQ(12, readOne("\"12\"").versions.highest);
  for (const char* none : {"\"default\"", "\"\"", "null", "true", "[1]"}) {
    EXPECT_EQ(9, version(none)) << none;
    EXPECT_EQ(VersionNaming::kNone, readOne(none).versions.naming) << none;
  }
  EXPECT_TRUE(readOne("\"default\"").versions.saysDefault);
  for (const char* label : {"\"1.5\"", "1.5", "\" 12\"", "\"12a\"", "99999999999", "\"-a\""}) {
    EXPECT_EQ(-2, version(label)) << label;
    EXPECT_EQ(1u, readOne(label).versions.labels.size()) << label;
  }
  for (const char* negative : {"-1", "\"-1\""}) EXPECT_CODE(kReplyImpossible, readOne(negative)) << negative;
}

TEST(SglangReply, LabelsGetTheirVersionsLater) {
  EngineReply got =
      read(reply(std::string(kTwoTokens) +
                 R"(,"weight_versions":[{"version":"b","start":0,"end":1},{"version":"a","start":1,"end":2}])"));
  EXPECT_EQ((std::vector<std::string>{"b", "a"}), got.versions.labels);
  EXPECT_EQ(VersionNaming::kSpans, got.versions.naming);
  EXPECT_CODE(kInvalidArg, got.tokens.nameVersions(Ids{5}));
  got.tokens.nameVersions(Ids{5, 8});
  EXPECT_EQ((Ids{5, 8}), versionsOf(got));
}

TEST(SglangReply, SpansThatDoNotCoverTheOutputAreAMismatch) {
  for (const char* spans :
       {R"([{"version":1,"start":0,"end":1}])", R"([{"version":1,"start":1,"end":2}])",
        R"([{"version":1,"start":0,"end":3}])", R"([{"version":1,"start":0,"end":1},{"version":1,"start":0,"end":2}])",
        R"([{"version":1,"start":0,"end":2},{"version":1,"start":2,"end":1}])"}) {
    EXPECT_CODE(kReplyMismatch, read(reply(std::string(kTwoTokens) + ",\"weight_versions\":" + spans))) << spans;
  }
}

TEST(SglangReply, OutputIdsMayBeginWithThePrompt) {
  const auto with = [](const char* outputIds) {
    return read(reply(kTwoTokens, "\"output_ids\":" + std::string(outputIds) + ","));
  };
  EXPECT_EQ((Ids{11, 12}), idsOf(with("[11,12]")));
  EXPECT_EQ((Ids{11, 12}), idsOf(with("[1,2,3,11,12]")));
  EXPECT_EQ((Ids{11, 12}), idsOf(with("null")));
  EXPECT_CODE(kReplyMismatch, with("[11,13]"));
  EXPECT_CODE(kReplyMismatch, with("[12]"));
  EXPECT_CODE(kReplyMismatch, with("[11,12,13]"));
  EXPECT_CODE(kReplyMismatch, with("[]"));
}

TEST(SglangReply, CountsMustAgree) {
  EXPECT_EQ(2u, read(reply(std::string(kTwoTokens) + ",\"completion_tokens\":2")).tokens.length());
  EXPECT_CODE(kReplyMismatch, read(reply(std::string(kTwoTokens) + ",\"completion_tokens\":3")));
  EXPECT_CODE(kReplyMismatch, read(reply(std::string(kTwoTokens) + ",\"completion_tokens\":1")));
  EXPECT_CODE(kReplyMismatch, read(reply(std::string(kTwoTokens) + ",\"output_token_logprobs_length\":3")));
  EXPECT_CODE(kReplyMismatch, read(reply(R"("completion_tokens":0,"output_token_logprobs":[[-0.5,1,null]])")));
}

TEST(SglangReply, WithoutLogprobsNothingMayHaveBeenGenerated) {
  EXPECT_CODE(kReplyMismatch, read(reply(R"("completion_tokens":2)", R"("output_ids":[1,2],)")));
  EXPECT_CODE(kReplyMismatch, read(reply(R"("completion_tokens":2,"output_token_logprobs":null)")));
  EXPECT_CODE(kReplyMismatch, read(reply(R"("completion_tokens":0)", R"("output_ids":[1],)")));
  EXPECT_CODE(kReplyMismatch, read(reply(R"("finish_reason":{"type":"stop"})")));
}

TEST(SglangReply, AnAbortInTheQueueHasNoTokens) {
  for (const char* more :
       {"", R"(,"output_token_logprobs":[])", R"(,"output_token_logprobs":null,"weight_versions":[])",
        R"(,"weight_versions":[{"version":"3","start":0,"end":0}])"}) {
    const EngineReply got = read(reply(
        R"("id":"r","finish_reason":{"type":"abort","message":"Abort in waiting queue"},"weight_version":"3","completion_tokens":0)" +
        std::string(more)));
    EXPECT_EQ(0u, got.tokens.length()) << more;
    EXPECT_TRUE(got.tokens.versionRuns().empty()) << more;
    EXPECT_FALSE(got.promptTokens);
  }
  EXPECT_EQ(0u, read(reply(R"("finish_reason":{"type":"abort"})", R"("output_ids":[],)")).tokens.length());
}

TEST(SglangReply, LogprobsMustBeFinite) {
  for (const char* logprob : {"null", "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-1e300"}) {
    EXPECT_CODE(kReplyNotFinite, read(reply("\"output_token_logprobs\":[[" + std::string(logprob) + ",1,null]]")))
        << logprob;
  }
}

TEST(SglangReply, IdsMustBeInt32AndNotNegative) {
  for (const char* id : {"-1", "1.5", "2147483648", "\"1\"", "null", "true", "1e3", "99999999999999999999"}) {
    EXPECT_CODE(kReplyMalformed, read(reply("\"output_token_logprobs\":[[-1," + std::string(id) + ",null]]"))) << id;
    EXPECT_CODE(kReplyMalformed, read(reply("", "\"output_ids\":[" + std::string(id) + "],"))) << id;
  }
  EXPECT_EQ(Ids{2147483647}, idsOf(read(reply("\"output_token_logprobs\":[[-1,2147483647,null]]"))));
}

TEST(SglangReply, EntriesMustBePairs) {
  for (const char* entry : {"[]", "[-1]", "-1", "{}", "null", "[\"-1\",1,null]", "[[-1],1]"}) {
    EXPECT_CODE(kReplyMalformed, read(reply("\"output_token_logprobs\":[" + std::string(entry) + "]"))) << entry;
  }
  EXPECT_EQ(Ids{1}, idsOf(read(reply("\"output_token_logprobs\":[[-1,1]]"))));
}

TEST(SglangReply, TopAlternativesLeavePlacesWhereAListIsShort) {
  const EngineReply got =
      read(reply(std::string(kTwoTokens) +
                 R"(,"output_top_logprobs":[null,[[-0.25,12,"b"],[-2,13,null],[-Infinity,14,null],[null,15,null]]])"));
  ASSERT_EQ(4u, got.tokens.top().width());
  EXPECT_EQ((Ids{-1, -1, -1, -1, 12, 13, -1, -1}), Ids(got.tokens.top().ids().begin(), got.tokens.top().ids().end()));
  EXPECT_EQ(-2, got.tokens.top().logprobs()[5]);
}

TEST(SglangReply, TopAlternativesMustBeOnePerToken) {
  EXPECT_CODE(kReplyMismatch, read(reply(std::string(kTwoTokens) + R"(,"output_top_logprobs":[null])")));
  EXPECT_CODE(kReplyNotFinite,
              read(reply(std::string(kTwoTokens) + R"(,"output_top_logprobs":[[[NaN,1,null]],null])")));
  EXPECT_TRUE(read(reply(std::string(kTwoTokens) + R"(,"output_top_logprobs":[])")).tokens.top().empty());
  EXPECT_TRUE(read(reply(std::string(kTwoTokens) + R"(,"output_top_logprobs":[null,[]])")).tokens.top().empty());
}

TEST(SglangReply, ABatchIsNotAReply) {
  EXPECT_CODE(kReplyMalformed, read("[" + reply(kTwoTokens) + "]"));
  EXPECT_CODE(kReplyMalformed, read("[]"));
}

TEST(SglangReply, WhatIsNoReplyIsMalformed) {
  for (const char* body : {"", "null", "1", "\"x\"", "{}", R"({"error":{"message":"no"}})", R"({"meta_info":null})",
                           R"({"meta_info":[]})", "<html></html>", R"({"meta_info":{"completion_tokens":-1}})",
                           R"({"meta_info":{"completion_tokens":"2"}})", R"({"meta_info":{"id":5}})"}) {
    EXPECT_CODE(kReplyMalformed, read(body)) << body;
  }
}

TEST(SglangReply, ATruncatedReplyIsMalformedWhereverItIsCut) {
  const std::string whole = reply(
      std::string(kTwoTokens) +
          R"(,"finish_reason":{"type":"stop","matched":"\ud83d\ude00"},"x":[1.5e3,true,null,{"a":-Infinity}],"completion_tokens":2)",
      R"("text":"é\"","output_ids":[11,12],)");
  ASSERT_EQ(2u, read(whole).tokens.length());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_CODE(kReplyMalformed, read(std::string_view(whole).substr(0, length))) << length;
  }
  EXPECT_CODE(kReplyMalformed, read(whole + "x"));
  EXPECT_CODE(kReplyMalformed, read(whole + whole));
  EXPECT_NO_THROW(read(whole + " \n"));
}

TEST(SglangReply, AnyByteMayBeWrongWithoutHarm) {
  const std::string whole =
      reply(std::string(kTwoTokens) + R"(,"finish_reason":{"type":"stop","matched":"\u00e9"},"w":[1.5e3])");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string wrong = whole;
      wrong[at] = static_cast<char>(byte);
      try {
        const EngineReply got = read(wrong);
        EXPECT_EQ(got.tokens.ids().size(), got.tokens.logprobs().size());
      } catch (const Error&) {
      }
    }
  }
}

/// Log probabilities as engines write them, and others: in the middle of two float32, subnormal, of more digits than a
/// float64 has.
std::string anyNumber(test::Random& random) {
  char text[80];
  const auto bits =
      static_cast<float>(-std::ldexp(1 + random.below(1u << 23) * 0x1p-23, random.chance(0.8) ? -5 : -120));
  const double middle = (static_cast<double>(bits) + std::nextafter(bits, -1.0f)) / 2;
  switch (random.below(5)) {
    case 0:
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(bits));
      break;
    case 1:
      std::snprintf(text, sizeof text, "%.17g", random.chance(0.5) ? middle : std::nextafter(middle, 0.0));
      break;
    case 2:
      std::snprintf(text, sizeof text, "%.40f", middle);
      break;
    case 3:
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(std::ldexp(bits, -130)));
      break;
    default:
      std::snprintf(text, sizeof text, "-%u.%u%ue-%u", random.below(100), random.below(1u << 31),
                    random.below(1u << 31), random.below(400));
  }
  return text;
}

TEST(SglangReply, FloatsAreTheFloat32OfTheDouble) {
  test::Random random(6);
  std::string body;
  std::vector<std::uint32_t> expected;
  for (int i = 0; i < 200'000; ++i) {
    const std::string text = anyNumber(random);
    const char* space = random.chance(0.5) ? " " : "";
    body += (i == 0 ? "[" : ",[") + text + "," + space + std::to_string(i) + "," + space + "null]";
    expected.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(std::strtod(text.c_str(), nullptr))));
  }
  const EngineReply got = read(reply("\"output_token_logprobs\":[" + body + "]"));
  ASSERT_EQ(expected.size(), got.tokens.length());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i], std::bit_cast<std::uint32_t>(got.tokens.logprobs()[i])) << i;
    ASSERT_EQ(static_cast<std::int32_t>(i), got.tokens.ids()[i]);
  }
}

}  // namespace
}  // namespace rolltape
