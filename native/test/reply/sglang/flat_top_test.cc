#include "../../../core/reply/sglang/flat_top.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "../../../core/base/base64.h"
#include "../../../core/reply/sglang/reply.h"
#include "../../support.h"

namespace rolltape {
namespace {

template <typename T>
std::string base64(const std::vector<T>& values) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  std::string text(base64Length(bytes.size()), '?');
  writeBase64(test::bytesOf(bytes), text.data());
  return text;
}

/// A reply with two tokens.
std::string reply(const std::string& members) {
  return R"({"meta_info":{"output_token_logprobs":[[-1,9,null],[-2,8,null]],"completion_tokens":2,)" + members + "}}";
}

std::string flat(const std::vector<float>& logprobs, const std::vector<std::int32_t>& ids, const std::string& shape,
                 int nullPrefix = 0) {
  return R"("output_top_logprobs_val_flat_b64":")" + base64(logprobs) + R"(","output_top_logprobs_idx_flat_b64":")" +
         base64(ids) +
         R"(","output_top_logprobs_val_flat_b64_dtype":"float32","output_top_logprobs_idx_flat_b64_dtype":"int32",)"
         R"("output_top_logprobs_shape":)" +
         shape + R"(,"output_top_logprobs_null_prefix":)" + std::to_string(nullPrefix);
}

TopLogprobs read(const std::string& members) {
  return readSglangReply(test::bytesOf(reply(members)), 0).tokens.top();
}

std::string refusal(const std::string& members) {
  return test::thrownBy([&] { read(members); }).what();
}

using Ids = std::vector<std::int32_t>;

Ids idsOf(const TopLogprobs& top) {
  return {top.ids().begin(), top.ids().end()};
}

TEST(FlatTop, IsReadAsNestedListsAre) {
  const TopLogprobs top = read(flat({-0.5f, -1.5f, -2.5f, -3.5f}, {9, 4, 8, 511}, "[2,2]"));
  const TopLogprobs nested =
      read(R"("output_top_logprobs":[[[-0.5,9,null],[-1.5,4,null]],[[-2.5,8,null],[-3.5,511,null]]])");
  EXPECT_EQ(2u, top.width());
  EXPECT_EQ(idsOf(nested), idsOf(top));
  EXPECT_TRUE(std::ranges::equal(nested.logprobs(), top.logprobs()));
}

TEST(FlatTop, LeavesPlacesOfExcludedTokensUnused) {
  constexpr float lowest = std::numeric_limits<float>::lowest();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ((Ids{9, -1, -1, 511}), idsOf(read(flat({-0.5f, lowest, -infinity, -3.5f}, {9, 4, 8, 511}, "[2,2]"))));
  // The nested form spells them so.
  EXPECT_EQ((Ids{9, -1, -1, 511}),
            idsOf(read(R"("output_top_logprobs":[[[-0.5,9,null],[-3.4028234663852886e+38,4,null]],)"
                       R"([[null,8,null],[-3.5,511,null]]])")));
}

TEST(FlatTop, TokensOfTheNullPrefixHaveNone) {
  EXPECT_EQ((Ids{-1, -1, 8, 511}), idsOf(read(flat({-2.5f, -3.5f}, {8, 511}, "[1,2]", 1))));
}

TEST(FlatTop, OfAReplyWithoutTokensIsIgnored) {
  const std::string body =
      R"({"meta_info":{"output_token_logprobs":[],"completion_tokens":0,)" + flat({-1, -2}, {1, 2}, "[1,2]") + "}}";
  EXPECT_TRUE(readSglangReply(test::bytesOf(body), 0).tokens.top().empty());
}

TEST(FlatTop, RefusesArraysThatDoNotFit) {
  EXPECT_EQ("output_top_logprobs: 1 rows after 0 tokens without, for 2 tokens",
            refusal(flat({-1, -2}, {1, 2}, "[1,2]")));
  EXPECT_EQ("output_top_logprobs: 2 rows after 1 tokens without, for 2 tokens",
            refusal(flat({-1, -2}, {1, 2}, "[2,1]", 1)));
  EXPECT_EQ("output_top_logprobs: the arrays do not have the shape", refusal(flat({-1, -2}, {1, 2}, "[2,2]")));
  EXPECT_EQ("output_top_logprobs: the arrays do not have the shape", refusal(flat({-1, -2}, {1}, "[2,1]")));
  EXPECT_EQ("output_top_logprobs: the shape is not that of rows", refusal(flat({-1, -2}, {1, 2}, "[2]")));
  EXPECT_EQ("output_top_logprobs: 1025 alternatives for a token", refusal(flat({-1}, {1}, "[2,1025]")));
  EXPECT_EQ("output_top_logprobs: a token id is negative", refusal(flat({-1, -2}, {1, -3}, "[2,1]")));
  EXPECT_EQ("an alternative of output token 1 has a log probability that is not finite",
            refusal(flat({-1, std::numeric_limits<float>::quiet_NaN()}, {1, 2}, "[2,1]")));
  EXPECT_NE(std::string::npos,
            refusal(R"("output_top_logprobs_val_flat_b64":"AAA=")").find("output_top_logprobs is not base64 of"));
  EXPECT_NE(std::string::npos,
            refusal(R"("output_top_logprobs_val_flat_b64":"AAA*AAA=")").find("output_top_logprobs is not base64"));
  EXPECT_NE(std::string::npos,
            refusal(R"("output_top_logprobs_val_flat_b64_dtype":"float16")").find("output_top_logprobs has"));
}

}  // namespace
}  // namespace rolltape
