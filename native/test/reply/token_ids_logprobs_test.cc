#include "../../core/reply/token_ids_logprobs.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../core/reply/sglang/reply.h"
#include "../../core/reply/sglang/stream.h"
#include "../../core/reply/vllm/reply.h"
#include "../../core/reply/vllm/stream.h"
#include "stream_support.h"

namespace rolltape {
namespace {

constexpr float kExcluded = -std::numeric_limits<float>::infinity();
const AskedValues kAsked{.tokenIds = {7, 5, 300}};

/// The values of the one channel of a generation.
std::vector<float> recorded(const Generation& generation) {
  std::vector<float> values;
  for (const ChannelBuffer& buffer : generation.channels()) {
    EXPECT_EQ(tokenIdsChannel({7, 5, 300}), buffer.spec);
    EXPECT_EQ(0u, buffer.first);
    values.resize(buffer.values.size() / sizeof(float));
    std::memcpy(values.data(), buffer.values.data(), buffer.values.size());
  }
  return values;
}

std::string sglangFrame(const std::string& tokens, const std::string& lists, int count, bool last) {
  return R"({"meta_info":{"output_token_logprobs":[)" + tokens + R"(],"completion_tokens":)" + std::to_string(count) +
         R"(,"output_token_logprobs_length":)" + std::to_string(count) + R"(,"output_token_ids_logprobs":[)" + lists +
         R"(],"finish_reason":)" + (last ? R"({"type":"length","length":2})" : "null") + "}}";
}

const std::string kFirst = "[[-5.5,7,null],[-6.5,5,null],[-7.5,300,null]]";
// SGLang's least float32 is that of a token which the grammar does not allow.
const std::string kSecond = "[[-1.5,7,null],[-3.4028234663852886e+38,5,null],[-2.5,300,null]]";
const std::vector<float> kValues{-5.5f, -6.5f, -7.5f, -1.5f, kExcluded, -2.5f};

TEST(TokenIdsLogprobs, AreReadFromAReplyOfSglang) {
  const std::string body = sglangFrame("[-1,9,null],[-2,8,null]", kFirst + "," + kSecond, 2, true);
  const EngineReply reply = readSglangReply(test::bytesOf(body), 0, kAsked);
  EXPECT_TRUE(reply.hasTokenIds);
  EXPECT_EQ(kValues, recorded(reply.tokens));
  const EngineReply unasked = readSglangReply(test::bytesOf(body), 0);
  EXPECT_FALSE(unasked.hasTokenIds);
  EXPECT_TRUE(unasked.tokens.channels().empty());
}

TEST(TokenIdsLogprobs, AreReadFromCumulativeAndIncrementalStreamsOfSglang) {
  test::Random random(3);
  for (const bool isIncremental : {false, true}) {
    const std::string tokens = isIncremental ? "[-2,8,null]" : "[-1,9,null],[-2,8,null]";
    const std::string lists = isIncremental ? kSecond : kFirst + "," + kSecond;
    const std::string text = "data: " + sglangFrame("[-1,9,null]", kFirst, 1, false) +
                             "\n\ndata: " + sglangFrame(tokens, lists, 2, true) + "\n\ndata: [DONE]\n\n";
    Generation generation;
    ReplyStream stream(std::make_unique<SglangStream>(generation, 0, kAsked));
    test::pushInPieces(stream, generation, text, random);
    EXPECT_TRUE(stream.end(generation).hasTokenIds);
    EXPECT_EQ(kValues, recorded(generation));
  }
}

TEST(TokenIdsLogprobs, OfSglangAreLeftOutIfTheyAreOfOtherTokensOrIncomplete) {
  for (const std::string& lists : {std::string("[[-5.5,7,null],[-6.5,6,null],[-7.5,300,null]],") + kSecond,
                                   kFirst + ",[[-1,7,null]]", kFirst, std::string()}) {
    const EngineReply reply =
        readSglangReply(test::bytesOf(sglangFrame("[-1,9,null],[-2,8,null]", lists, 2, true)), 0, kAsked);
    EXPECT_FALSE(reply.hasTokenIds) << lists;
    EXPECT_TRUE(reply.tokens.channels().empty());
  }
}

/// The sampled token comes first, and is not listed twice.
const std::string kGenerate =
    R"({"choices":[{"token_ids":[9,7],"finish_reason":"length","logprobs":{"content":[)"
    R"({"token_id":9,"logprob":-1,"top_logprobs":[{"token_id":9,"logprob":-1},{"token_id":7,"logprob":-5.5},)"
    R"({"token_id":5,"logprob":-6.5},{"token_id":300,"logprob":-7.5}]},)"
    R"({"token_id":7,"logprob":-1.5,"top_logprobs":[{"token_id":7,"logprob":-1.5},{"token_id":5,"logprob":-9999.0},)"
    R"({"token_id":300,"logprob":-2.5}]}]}}]})";

const std::string kCompletions =
    R"({"choices":[{"token_ids":[9,7],"finish_reason":"length","logprobs":{"tokens":["token_id:9","token_id:7"],)"
    R"("token_logprobs":[-1,-1.5],"top_logprobs":[)"
    R"({"token_id:9":-1,"token_id:7":-5.5,"token_id:5":-6.5,"token_id:300":-7.5},)"
    R"({"token_id:7":-1.5,"token_id:5":-9999.0,"token_id:300":-2.5}]}}]})";

TEST(TokenIdsLogprobs, AreReadFromRepliesAndStreamsOfVllm) {
  test::Random random(4);
  for (const std::string& body : {kGenerate, kCompletions}) {
    const EngineReply reply = readVllmReply(test::bytesOf(body), 0, 0, kAsked);
    EXPECT_TRUE(reply.hasTokenIds);
    EXPECT_TRUE(reply.tokens.top().empty());
    EXPECT_EQ(kValues, recorded(reply.tokens));
    Generation generation;
    ReplyStream stream(std::make_unique<VllmStream>(generation, 0, 0, kAsked));
    test::pushInPieces(stream, generation, "data: " + body + "\n\ndata: [DONE]\n\n", random);
    EXPECT_TRUE(stream.end(generation).hasTokenIds);
    EXPECT_EQ(kValues, recorded(generation));
  }
}

TEST(TokenIdsLogprobs, OfVllmAreLeftOutIfATokenIsNotListed) {
  const AskedValues others{.tokenIds = {7, 5, 301}};
  const EngineReply reply = readVllmReply(test::bytesOf(kGenerate), 0, 0, others);
  EXPECT_FALSE(reply.hasTokenIds);
  EXPECT_TRUE(reply.tokens.channels().empty());
}

}  // namespace
}  // namespace rolltape
