#include "../../core/session/sequence.h"

#include "../support.h"

namespace rolltape {
namespace {

using Ids = std::vector<std::int32_t>;
using Pieces = std::vector<Ids>;

std::vector<TokenSpan> spansOf(const Pieces& pieces) {
  return {pieces.begin(), pieces.end()};
}

std::size_t prefixOf(const Pieces& a, const Pieces& b) {
  return commonPrefix(spansOf(a), spansOf(b));
}

Pieces rest(const Pieces& pieces, std::size_t count) {
  const std::vector<TokenSpan> all = spansOf(pieces);
  Pieces left;
  for (const TokenSpan span : dropTokens(all, count)) left.emplace_back(span.begin(), span.end());
  return left;
}

TEST(CommonPrefix, CountsTokensHoweverTheyAreCut) {
  EXPECT_EQ(5u, prefixOf({{1, 2}, {}, {3, 4, 5}}, {{1}, {2, 3, 4}, {5, 6}}));
  EXPECT_EQ(3u, prefixOf({{1, 2, 3, 4}}, {{1, 2}, {3, 9}}));
  EXPECT_EQ(2u, prefixOf({{1, 2}}, {{1, 2}}));
  EXPECT_EQ(0u, prefixOf({{1}}, {{2}}));
  EXPECT_EQ(0u, prefixOf({}, {{1}}));
  EXPECT_EQ(0u, prefixOf({{}}, {{}}));
}

TEST(CommonPrefix, EndsAtTheFirstTokenThatDiffersInALongRun) {
  const Ids all(300, 7);
  for (std::size_t at = 0; at < all.size(); ++at) {
    Ids other = all;
    other[at] = 8;
    ASSERT_EQ(at, prefixOf({all}, {other}));
  }
}

TEST(AppendSequence, HasNoEmptyPieces) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2}), Generation(), {}, {}, -1);
  test::record(session, test::promptAfter(session, 0, {}), test::generationOf({3}), {}, {}, 0);
  std::vector<TokenSpan> spans;
  appendSequence(session.interaction(1), 3, spans);
  for (const TokenSpan span : spans) EXPECT_FALSE(span.empty());
  EXPECT_EQ((Ids{1, 2, 3}), test::join(spans));
}

TEST(DropTokens, LeavesTheRestWithoutEmptyPieces) {
  const Pieces pieces{{1, 2}, {}, {3}, {4, 5}};
  EXPECT_EQ((Pieces{{1, 2}, {3}, {4, 5}}), rest(pieces, 0));
  EXPECT_EQ((Pieces{{2}, {3}, {4, 5}}), rest(pieces, 1));
  EXPECT_EQ((Pieces{{4, 5}}), rest(pieces, 3));
  EXPECT_EQ((Pieces{{5}}), rest(pieces, 4));
  EXPECT_EQ(Pieces{}, rest(pieces, 5));
  EXPECT_EQ(Pieces{}, rest(pieces, 9));
}

}  // namespace
}  // namespace rolltape
