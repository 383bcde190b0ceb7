#include "../../core/reply/top_lists.h"

#include "../support.h"

namespace rolltape {
namespace {

using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TopLists listsOf(const std::vector<Ids>& lists) {
  TopLists top;
  for (const Ids& list : lists) {
    const std::size_t first = top.ids.size();
    for (const std::int32_t id : list) {
      top.ids.push_back(id);
      top.logprobs.push_back(static_cast<float>(-id));
    }
    top.endList(first);
  }
  return top;
}

Ids idsOf(const TopLogprobs& rows) {
  return {rows.ids().begin(), rows.ids().end()};
}

TEST(TopLists, OfEqualWidthAreMoved) {
  TopLists top = listsOf({{1, 2}, {3, 4}});
  const std::int32_t* ids = top.ids.data();
  const TopLogprobs rows = topRows(std::move(top));
  EXPECT_EQ(ids, rows.ids().data());
  EXPECT_EQ(2u, rows.width());
  EXPECT_EQ((Ids{1, 2, 3, 4}), idsOf(rows));
}

TEST(TopLists, BecomeRowsOfTheWidestList) {
  const TopLogprobs rows = topRows(listsOf({{1}, {}, {2, 3}}));
  EXPECT_EQ(2u, rows.width());
  EXPECT_EQ((Ids{1, -1, -1, -1, 2, 3}), idsOf(rows));
  EXPECT_EQ((Floats{-1, 0, 0, 0, -2, -3}), Floats(rows.logprobs().begin(), rows.logprobs().end()));
}

TEST(TopLists, WithoutEntriesAreNoRows) {
  EXPECT_TRUE(topRows({}).empty());
  EXPECT_TRUE(topRows(listsOf({{}, {}})).empty());
}

TEST(TopLists, DropTheirFirstLists) {
  TopLists top = listsOf({{1}, {}, {2, 3}, {4}});
  top.dropFront(2);
  EXPECT_EQ((Ids{2, 3, 4}), top.ids);
  EXPECT_EQ((Floats{-2, -3, -4}), top.logprobs);
  EXPECT_EQ((std::vector<std::uint16_t>{2, 1}), top.counts);
  top.clear();
  EXPECT_TRUE(top.ids.empty() && top.logprobs.empty() && top.counts.empty());
}

TEST(TopLists, AreRefusedOverTheGreatestWidth) {
  TopLists top;
  top.ids.assign(kMaxTopWidth, 1);
  EXPECT_NO_THROW(top.endList(0));
  top.ids.assign(kMaxTopWidth + 1, 1);
  EXPECT_CODE(kReplyMismatch, top.endList(0));
}

}  // namespace
}  // namespace rolltape
