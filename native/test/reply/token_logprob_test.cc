#include "../../core/reply/token_logprob.h"

#include <cmath>

#include "../support.h"

namespace rolltape {
namespace {

/// Reads the text as readers of replies do, with room to read ahead, and without.
TokenLogprob readPair(const std::string& text) {
  const std::string roomy = text + std::string(RoomyText::kSlack, '\0');
  JsonCursor ahead(RoomyText{test::bytesOf(roomy).first(text.size())});
  const TokenLogprob token = readTokenLogprob(ahead);
  ahead.finish();
  JsonCursor json(test::bytesOf(text));
  const TokenLogprob again = readTokenLogprob(json);
  json.finish();
  EXPECT_EQ(token.id, again.id) << text;
  EXPECT_TRUE(token.logprob == again.logprob || std::isnan(again.logprob)) << text;
  return token;
}

TEST(TokenLogprob, IsReadWithAndWithoutSpaces) {
  for (const char* text : {"[-0.5,12,null]", "[-0.5, 12, null]", "[-0.5,12, null]", "[-0.5, 12,null]",
                           "[ -0.5 , 12 , null ]", "[-0.5,  12,  null]", "[-0.5,12,\"a, b\"]", "[-0.5,12]"}) {
    const TokenLogprob token = readPair(text);
    EXPECT_EQ(12, token.id) << text;
    EXPECT_EQ(-0.5f, token.logprob) << text;
  }
}

TEST(TokenLogprob, IsReadIfItsNumberIsNoFloat32) {
  EXPECT_TRUE(std::isnan(readPair("[NaN,12,null]").logprob));
  EXPECT_EQ(-INFINITY, readPair("[null,12,null]").logprob);
  EXPECT_EQ(-INFINITY, readPair("[-1e60,12,null]").logprob);
  EXPECT_EQ(INFINITY, readPair("[1e60,12,null]").logprob);
}

TEST(TokenLogprob, IsRefusedWithoutATokenId) {
  for (const char* text : {"[]", "[-0.5]", "[-0.5,null]", "[-0.5,-1,null]", "[-0.5,1.5,null]", "[-0.5,2147483648,null]",
                           "[-0.5,12,null", "-0.5"}) {
    EXPECT_CODE(kReplyMalformed, readPair(text)) << text;
  }
}

}  // namespace
}  // namespace rolltape
