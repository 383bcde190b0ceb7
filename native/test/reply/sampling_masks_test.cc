#include "../../core/reply/sampling_masks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "../../core/reply/sglang/reply.h"
#include "../../core/reply/sglang/stream.h"
#include "../../core/reply/vllm/reply.h"
#include "../../core/reply/vllm/stream.h"
#include "stream_support.h"

namespace rolltape {
namespace {

constexpr std::uint32_t kVocabulary = 60;
constexpr SamplingMasks kAsked{.maxIds = 8, .vocabularySize = kVocabulary};
constexpr float kRaw = -4;

/// A sampled token with its mask. The log probability is the one among the tokens of the mask.
struct Masked {
  std::int32_t id;
  float logprob;
  std::vector<std::int32_t> mask;
  /// Ids of alternatives; some are in the mask.
  std::vector<std::int32_t> top;
};

/// Masks that are too long, or have the whole vocabulary, are among them.
std::vector<Masked> randomTokens(test::Random& random, std::size_t count, std::size_t top) {
  std::vector<Masked> tokens;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = random.chance(0.1) ? kVocabulary : 1 + random.below(11);
    std::vector<std::int32_t> all(kVocabulary);
    for (std::size_t id = 0; id < all.size(); ++id) all[id] = static_cast<std::int32_t>(id);
    for (std::size_t id = all.size() - 1; id > 0; --id) std::swap(all[id], all[random.below(id + 1)]);
    Masked token{all[random.below(length)], static_cast<float>(random.below(1000)) / -500.0f, all, {}};
    token.mask.resize(length);
    for (std::size_t k = 0; k < top; ++k) token.top.push_back(all[random.below(all.size())]);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

template <typename Item>
std::string jsonList(const std::vector<Masked>& tokens, std::size_t from, Item item) {
  std::string text = "[";
  for (std::size_t i = from; i < tokens.size(); ++i) text += (i == from ? "" : ",") + item(tokens[i]);
  return text + "]";
}

std::string idList(const std::vector<std::int32_t>& ids) {
  std::string text = "[";
  for (std::size_t i = 0; i < ids.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(ids[i]);
  return text + "]";
}

std::string masksText(const std::vector<Masked>& tokens, std::size_t from = 0) {
  return jsonList(tokens, from, [](const Masked& token) { return idList(token.mask); });
}

/// A reply or frame of SGLang with the tokens from `from` on.
std::string sglangText(const std::vector<Masked>& tokens, std::size_t from, bool isLast) {
  const std::string count = std::to_string(tokens.size());
  const auto entry = [](float logprob, std::int32_t id) {
    return "[" + test::jsonNumber(logprob) + "," + std::to_string(id) + ",null]";
  };
  const auto raw = [&](const Masked& token) { return entry(token.logprob + kRaw, token.id); };
  const auto logprob = [](const Masked& token) { return test::jsonNumber(token.logprob); };
  const auto top = [&](const Masked& token) {
    std::string text = "[";
    for (const std::int32_t id : token.top) text += (text == "[" ? "" : ",") + entry(kRaw - 1, id);
    return text + "]";
  };
  return "{\"output_ids\":" + jsonList(tokens, from, [](const Masked& token) { return std::to_string(token.id); }) +
         ",\"meta_info\":{\"completion_tokens\":" + count +
         ",\"output_token_logprobs\":" + jsonList(tokens, from, raw) + ",\"output_token_logprobs_length\":" + count +
         (tokens.front().top.empty() ? "" : ",\"output_top_logprobs\":" + jsonList(tokens, from, top)) +
         ",\"output_token_sampling_mask\":" + masksText(tokens, from) +
         ",\"output_token_sampling_logprobs\":" + jsonList(tokens, from, logprob) +
         ",\"output_token_sampling_mask_length\":" + count +
         ",\"finish_reason\":" + (isLast ? "{\"type\":\"length\"}" : "null") + "}}";
}

std::string vllmText(const std::vector<Masked>& tokens, std::size_t from, bool isLast) {
  const auto content = [](const Masked& token) {
    return "{\"token_id\":" + std::to_string(token.id) + ",\"logprob\":" + test::jsonNumber(token.logprob) + "}";
  };
  return "{\"choices\":[{\"token_ids\":" +
         jsonList(tokens, from, [](const Masked& token) { return std::to_string(token.id); }) +
         ",\"logprobs\":{\"content\":" + jsonList(tokens, from, content) +
         "},\"sampling_mask\":" + masksText(tokens, from) + ",\"finish_reason\":" + (isLast ? "\"length\"" : "null") +
         "}]}";
}

/// The frames of a stream, which have one or more new tokens each, and those before again if `isCumulative`.
template <typename Text>
std::string framesOf(const std::vector<Masked>& tokens, bool isCumulative, test::Random& random, Text text) {
  std::string frames;
  for (std::size_t from = 0, end = 0; end < tokens.size(); from = end) {
    end = std::min(tokens.size(), end + 1 + random.below(3));
    const std::vector<Masked> soFar(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(end));
    frames += "data: " + text(soFar, isCumulative ? 0 : from, end == tokens.size()) + "\n\n";
  }
  return frames + "data: [DONE]\n\n";
}

bool isRecorded(const Masked& token) {
  return token.mask.size() <= kAsked.maxIds;
}

/// Holds log probabilities and masks against the tokens, from token `first` of the generation on.
void expectMasks(const std::vector<Masked>& tokens, const Generation& generation, std::uint32_t first = 0) {
  ASSERT_EQ(first + tokens.size(), generation.length());
  ASSERT_EQ(1u, generation.channels().size());
  const ChannelBuffer& buffer = generation.channels().front();
  EXPECT_EQ("kept_ids", buffer.spec.name);
  EXPECT_EQ("kept_offsets", buffer.spec.offsets);
  EXPECT_FALSE(buffer.spec.ofSequence);
  ASSERT_LE(buffer.first, first);
  ASSERT_EQ(generation.length(), buffer.end());
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(tokens[i].logprob, generation.logprobs()[first + i]);
    const auto bytes = buffer.run(0).bytes(first + i, first + i + 1);
    std::vector<std::int32_t> ids(bytes.size() / sizeof(std::int32_t));
    std::ranges::copy(bytes, std::as_writable_bytes(std::span{ids}).begin());
    ASSERT_EQ(isRecorded(tokens[i]) ? tokens[i].mask : std::vector<std::int32_t>{}, ids) << i;
  }
}

std::uint32_t longestOf(const std::vector<Masked>& tokens) {
  std::size_t longest = 0;
  for (const Masked& token : tokens) {
    if (!isRecorded(token) && token.mask.size() < kVocabulary) longest = std::max(longest, token.mask.size());
  }
  return static_cast<std::uint32_t>(longest);
}

void expectTop(const std::vector<Masked>& tokens, const TopLogprobs& top) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (std::size_t k = 0; k < tokens[i].top.size(); ++k) {
      const std::int32_t id = tokens[i].top[k];
      const bool isKept = std::ranges::find(tokens[i].mask, id) != tokens[i].mask.end();
      const std::size_t at = i * top.width() + k;
      ASSERT_EQ(isKept ? id : TopLogprobs::kUnused, top.ids()[at]);
      ASSERT_NEAR(isKept ? -1 : 0, top.logprobs()[at], 1e-5);
    }
  }
}

TEST(SamplingMasks, AreReadFromWholeRepliesAndStreamsOfBothEngines) {
  test::Random random(11);
  const AskedValues asked{.masks = kAsked};
  for (int round = 0; round < 300; ++round) {
    const auto tokens = randomTokens(random, 1 + random.below(9), random.below(3));
    const std::uint32_t longest = longestOf(tokens);

    for (const bool isVllm : {false, true}) {
      const std::string text = isVllm ? vllmText(tokens, 0, true) : sglangText(tokens, 0, true);
      const EngineReply reply =
          isVllm ? readVllmReply(test::bytesOf(text), 0, 0, asked) : readSglangReply(test::bytesOf(text), 0, asked);
      EXPECT_TRUE(reply.hasMasks);
      EXPECT_EQ(longest, reply.longestMask);
      expectMasks(tokens, reply.tokens);
      if (!isVllm) expectTop(tokens, reply.tokens.top());

      // The second request of a call that was cut.
      Generation generation;
      std::string frames;
      for (std::uint32_t first = 0; first <= tokens.size(); first += static_cast<std::uint32_t>(tokens.size())) {
        std::unique_ptr<FrameReader> reader;
        if (isVllm) {
          reader = std::make_unique<VllmStream>(generation, 0, 0, asked);
          frames = framesOf(tokens, false, random, vllmText);
        } else {
          reader = std::make_unique<SglangStream>(generation, 0, asked);
          frames = framesOf(tokens, random.chance(0.7), random, sglangText);
        }
        ReplyStream stream(std::move(reader));
        test::pushInPieces(stream, generation, frames, random);
        const EngineReply end = stream.end(generation);
        EXPECT_TRUE(end.hasMasks);
        EXPECT_EQ(longest, end.longestMask);
        expectMasks(tokens, generation, first);
      }
      if (HasFatalFailure()) FAIL() << "round " << round;
    }
  }
}

TEST(SamplingMasks, AreSkippedUnlessAskedFor) {
  test::Random random(12);
  const auto tokens = randomTokens(random, 4, 0);
  const std::string vllm = vllmText(tokens, 0, true);
  const std::string sglang = sglangText(tokens, 0, true);
  EXPECT_FALSE(readVllmReply(test::bytesOf(vllm), 0, 0).hasMasks);
  EXPECT_TRUE(readVllmReply(test::bytesOf(vllm), 0, 0).tokens.channels().empty());
  const EngineReply reply = readSglangReply(test::bytesOf(sglang), 0);
  EXPECT_TRUE(reply.tokens.channels().empty());
  EXPECT_EQ(tokens[0].logprob + kRaw, reply.tokens.logprobs()[0]);
}

TEST(SamplingMasks, OfNullAreNone) {
  const AskedValues asked{.masks = kAsked};
  const std::string vllm =
      R"({"choices":[{"token_ids":[5],"logprobs":{"content":[{"token_id":5,"logprob":-1}]},"sampling_mask":null}]})";
  EXPECT_FALSE(readVllmReply(test::bytesOf(vllm), 0, 0, asked).hasMasks);
  const std::string sglang =
      R"({"meta_info":{"output_token_logprobs":[[-1,5,null]],"output_token_sampling_mask":null}})";
  EXPECT_FALSE(readSglangReply(test::bytesOf(sglang), 0, asked).hasMasks);
}

/// A reply of two tokens, 5 and 6, with this mask member.
void expectRefused(ErrorCode code, const std::string& message, const std::string& masks,
                   const std::string& logprobs = "[-1,-1]") {
  const AskedValues asked{.masks = kAsked};
  const std::string vllm =
      R"({"choices":[{"token_ids":[5,6],"logprobs":{"content":[{"token_id":5,"logprob":-1},{"token_id":6,"logprob":-1}]},"sampling_mask":)" +
      masks + "}]}";
  const std::string sglang =
      R"({"meta_info":{"output_token_logprobs":[[-1,5,null],[-1,6,null]],"output_token_sampling_mask":)" + masks +
      ",\"output_token_sampling_logprobs\":" + logprobs + "}}";
  const auto expectError = [&](auto read) {
    try {
      read();
      ADD_FAILURE() << masks;
    } catch (const Error& error) {
      EXPECT_EQ(code, error.code()) << error.what();
      EXPECT_NE(std::string::npos, std::string(error.what()).find(message)) << error.what();
    }
  };
  expectError([&] { readSglangReply(test::bytesOf(sglang), 0, asked); });
  if (logprobs == "[-1,-1]") expectError([&] { readVllmReply(test::bytesOf(vllm), 0, 0, asked); });
}

TEST(SamplingMasks, MustBelongToTheirTokens) {
  expectRefused(ErrorCode::kReplyMismatch, "does not have this token", "[[5],[7]]");
  expectRefused(ErrorCode::kReplyMismatch, "does not have this token", "[[],[6]]");
  expectRefused(ErrorCode::kReplyMismatch, "1 sampling masks", "[[5]]");
  expectRefused(ErrorCode::kReplyMismatch, "3 sampling masks", "[[5],[6],[7]]");
  expectRefused(ErrorCode::kReplyImpossible, "60 of a sampling mask is beyond the vocabulary", "[[5,60],[6]]");
  expectRefused(ErrorCode::kReplyMalformed, "", "[[5,-1],[6]]");
  expectRefused(ErrorCode::kReplyMalformed, "", "[5,6]");
  expectRefused(ErrorCode::kReplyMismatch, "with 1 log probabilities", "[[5],[6]]", "[-1]");
  expectRefused(ErrorCode::kReplyNotFinite, "masked output token 1", "[[5],[6]]", "[-1,null]");
}

}  // namespace
}  // namespace rolltape
