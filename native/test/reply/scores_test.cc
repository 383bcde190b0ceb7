#include "../../core/reply/scores.h"

#include <gtest/gtest.h>

#include <cstring>

#include "../../core/base/base64.h"
#include "../support.h"

namespace rolltape {
namespace {

constexpr float kNone = Scores::kUnusedLogprob;

AskedScores asked(std::uint32_t first, std::size_t top = 0) {
  return {test::promptOf({10, 11, 12, 13}), first, top};
}

Scores sglang(const std::string& metaInfo, const AskedScores& scores) {
  return readSglangScores(test::bytesOf("{\"text\": \"\", \"meta_info\": {" + metaInfo + "}}"), scores);
}

constexpr const char* kTokens =
    R"("input_token_logprobs": [[null, 10, null], [-1.5, 11, null], [-2.25, 12, null], [-0.5, 13, null]])";

TEST(Scores, OfSglangAreThoseOfTheLastTokens) {
  EXPECT_EQ(sglang(kTokens, asked(1)).logprobs, (std::vector<float>{-1.5, -2.25, -0.5}));
  EXPECT_EQ(sglang(kTokens, asked(3)).logprobs, (std::vector<float>{-0.5}));
  const std::string fromTwo = R"("input_token_logprobs": [[null, 12, null], [-0.5, 13, null]])";
  EXPECT_EQ(sglang(fromTwo, asked(3)).logprobs, (std::vector<float>{-0.5}));
}

TEST(Scores, OfSglangHaveTheMostProbableTokens) {
  const std::string top =
      R"(, "input_top_logprobs": [null, [[-1, 7, null], [-2, 8, null]], [[-3, 9, null]], [[-4, 5, null], [-5, 6, null], [-6, 4, null]]])";
  const Scores scores = sglang(kTokens + top, asked(1, 2));
  EXPECT_EQ(scores.topIds, (std::vector<std::int32_t>{7, 8, 9, -1, 5, 6}));
  EXPECT_EQ(scores.topLogprobs, (std::vector<float>{-1, -2, -3, kNone, -4, -5}));
  EXPECT_CODE(kReplyMismatch, sglang(kTokens, asked(1, 2)));
}

TEST(Scores, OfSglangMustBeOfTheTokensThatWereSent) {
  const std::string other = R"("input_token_logprobs": [[-1.5, 11, null], [-2.25, 99, null], [-0.5, 13, null]])";
  EXPECT_CODE(kReplyMismatch, sglang(other, asked(1)));
  EXPECT_CODE(kReplyMismatch, sglang(R"("input_token_logprobs": [[-0.5, 13, null]])", asked(1)));
  EXPECT_CODE(kReplyMismatch, sglang(R"("id": "x")", asked(1)));
  EXPECT_CODE(kReplyMalformed, readSglangScores(test::bytesOf("{\"meta_info\""), asked(1)));
}

TEST(Scores, OfSglangMayHaveZeroForTheLastIdOfTheVocabulary) {
  const std::string last = R"("input_token_logprobs": [[-1.5, 11, null], [-2.25, 12, null], [-0.5, 0, null]])";
  EXPECT_EQ(sglang(last, asked(1)).logprobs, (std::vector<float>{-1.5, -2.25, -0.5}));
  const std::string two = R"("input_token_logprobs": [[-1.5, 11, null], [-2.25, 0, null], [-0.5, 0, null]])";
  EXPECT_CODE(kReplyMismatch, sglang(two, asked(1)));
  const std::string notLast = R"("input_token_logprobs": [[-1.5, 11, null], [-2.25, 0, null], [-0.5, 13, null]])";
  EXPECT_CODE(kReplyMismatch, sglang(notLast, asked(1)));
}

TEST(Scores, MustBeLogProbabilities) {
  EXPECT_CODE(kReplyNotFinite, sglang(R"("input_token_logprobs": [[null, 13, null]])", asked(3)));
  EXPECT_CODE(kReplyNotFinite, sglang(R"("input_token_logprobs": [[NaN, 13, null]])", asked(3)));
  EXPECT_CODE(kReplyImpossible, sglang(R"("input_token_logprobs": [[7.5, 13, null]])", asked(3)));
}

TEST(Scores, AreAskedForAfterTheFirstToken) {
  EXPECT_CODE(kInvalidArg, asked(0));
  EXPECT_CODE(kInvalidArg, asked(4));
}

constexpr const char* kPromptLogprobs =
    R"("prompt_logprobs": [null,
      {"11": {"logprob": -3.5, "rank": 9, "decoded_token": "b"}, "460": {"logprob": -0.25, "rank": 1, "decoded_token": ""}, "461": {"logprob": -0.5, "rank": 2, "decoded_token": "{"}},
      {"12": {"logprob": -0.75, "rank": 2, "decoded_token": "c"}, "438": {"logprob": -0.125, "rank": 1, "decoded_token": "\""}},
      {"13": {"logprob": -6.5, "rank": 40, "decoded_token": null}, "225": {"logprob": -1.5, "rank": 1, "decoded_token": null}, "226": {"logprob": -1.75, "rank": 2}}])";

std::optional<Scores> vllm(const std::string& members, const AskedScores& scores) {
  return readVllmScores(test::bytesOf("{" + members + "}"), scores);
}

TEST(Scores, OfVllmAreThoseOfTheTokensThemselves) {
  EXPECT_EQ(vllm(kPromptLogprobs, asked(1))->logprobs, (std::vector<float>{-3.5, -0.75, -6.5}));
  EXPECT_EQ(vllm(kPromptLogprobs, asked(3))->logprobs, (std::vector<float>{-6.5}));
  const std::string choice = "\"choices\": [{\"index\": 0, " + std::string(kPromptLogprobs) + "}]";
  EXPECT_EQ(vllm(choice, asked(1))->logprobs, (std::vector<float>{-3.5, -0.75, -6.5}));
}

TEST(Scores, OfVllmHaveTheMostProbableTokensByRank) {
  const std::optional<Scores> scores = vllm(kPromptLogprobs, asked(1, 2));
  EXPECT_EQ(scores->topIds, (std::vector<std::int32_t>{460, 461, 438, 12, 225, 226}));
  EXPECT_EQ(scores->topLogprobs, (std::vector<float>{-0.25, -0.5, -0.125, -0.75, -1.5, -1.75}));
  // A vocabulary with fewer tokens than were asked for.
  EXPECT_EQ(vllm(kPromptLogprobs, asked(2, 3))->topIds, (std::vector<std::int32_t>{438, 12, -1, 225, 226, -1}));
}

TEST(Scores, OfVllmMustBeComplete) {
  EXPECT_EQ(vllm("\"prompt_logprobs\": null, \"choices\": [{\"prompt_logprobs\": null}]", asked(1)), std::nullopt);
  EXPECT_EQ(vllm("\"id\": 1", asked(1)), std::nullopt);
  EXPECT_CODE(kReplyMismatch, vllm("\"prompt_logprobs\": [null, null, null, null]", asked(1)));
  EXPECT_CODE(kReplyMismatch, vllm("\"prompt_logprobs\": [null]", asked(1)));
  EXPECT_CODE(kReplyMismatch, vllm(kPromptLogprobs, {test::promptOf({10, 11, 14, 13}), 1, 0}));
  EXPECT_CODE(kReplyMalformed, vllm("\"prompt_logprobs\": [null, {\"x\": {}}]", asked(1)));
}

/// A reply with a file as numpy.save writes it.
std::string npy(const std::string& descr, const std::string& shape, const std::vector<float>& values) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  std::string text(base64Length(file.size()), '?');
  writeBase64(test::bytesOf(file), text.data());
  return "\"prompt_logprobs\": null, \"prompt_token_id_logprobs\": \"" + text + "\"";
}

TEST(Scores, OfVllmComeAsAnArray) {
  EXPECT_EQ(vllm(npy("<f4", "(2, 1)", {-1.5, -2.5}), asked(2))->logprobs, (std::vector<float>{-1.5, -2.5}));
  EXPECT_CODE(kReplyMismatch, vllm(npy("<f4", "(1, 2)", {-1.5, -2.5}), asked(2)));
  EXPECT_CODE(kReplyMismatch, vllm(npy("<f8", "(2, 1)", {-1.5, -2.5}), asked(2)));
  EXPECT_CODE(kReplyMismatch, vllm(npy("<f4", "(2, 1)", {-1.5}), asked(2)));
  EXPECT_CODE(kReplyNotFinite, vllm(npy("<f4", "(2, 1)", {-1.5, kNone}), asked(2)));
  EXPECT_CODE(kReplyMalformed, vllm("\"prompt_token_id_logprobs\": \"AAAA\"", asked(2)));
  EXPECT_CODE(kReplyMalformed, vllm("\"prompt_token_id_logprobs\": \"A\"", asked(2)));
}

}  // namespace
}  // namespace rolltape
