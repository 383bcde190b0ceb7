#include "../../core/session/session.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../core/session/session_rewards.h"
#include "../support.h"

namespace rolltape {
namespace {

using test::generationOf;
using test::promptAfter;
using test::promptOf;
using test::promptSharing;
using test::record;

TEST(Session, AContinuedConversationSharesItsHistory) {
  Session session(test::kKey);
  record(session, promptOf({1, 2, 3}), generationOf({4, 5}), {"u"}, {"a"});
  const std::uint32_t child =
      record(session, promptAfter(session, 0, {6, 7}), generationOf({8}), {"u", "a", "u2"}, {"a2"});
  const Interaction& made = session.interaction(child);
  EXPECT_EQ(0, made.parentIndex());
  EXPECT_TRUE(made.tokenExact);
  EXPECT_EQ(5u, made.shared);
  EXPECT_EQ(7u, made.inputLength);
  EXPECT_EQ(2u, made.tailIds().size());
  EXPECT_EQ(1u, session.state(0).children);
}

TEST(Session, ExactnessIsOfTokensNotOfMessages) {
  Session session(test::kKey);
  record(session, promptOf({1, 2, 3}), generationOf({4, 5}), {"u"}, {"a"});
  const Interaction& same =
      session.interaction(record(session, promptOf({1, 2, 3, 4, 5, 6}), generationOf({7}), {"u", "a", "x"}, {"b"}));
  const Interaction& differs =
      session.interaction(record(session, promptOf({1, 2, 3, 4, 9, 6}), generationOf({7}), {"u", "a", "y"}, {"b"}));
  const Interaction& shorter =
      session.interaction(record(session, promptOf({1, 2, 3, 4}), generationOf({7}), {"u", "a", "z"}, {"b"}));
  EXPECT_TRUE(same.tokenExact);
  EXPECT_EQ(5u, same.shared);
  EXPECT_FALSE(differs.tokenExact);
  EXPECT_EQ(4u, differs.shared);
  EXPECT_FALSE(shorter.tokenExact);
  EXPECT_EQ(4u, shorter.shared);
}

TEST(Session, APromptSharesTheStartOfItsLikelyParent) {
  Session session(test::kKey);
  record(session, promptOf({1, 2, 3}), generationOf({4, 5}), {"u"}, {"a"});
  record(session, promptOf({1, 2, 3, 4, 9, 6}), generationOf({7}), {"u", "a", "x"}, {"b"});
  const std::vector<std::int32_t> whole{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> differs{1, 2, 8};
  const std::vector<std::int32_t> shorter{1, 2, 3, 4};
  const auto require = [&](std::uint32_t parent, const std::vector<std::int32_t>& ids, std::uint32_t shared) {
    const Prompt prompt = promptSharing(session, parent, ids);
    EXPECT_EQ(ids, test::join(prompt.spans()));
    EXPECT_EQ(shared, prompt.sharedWithBase());
    EXPECT_EQ(ids.size() - shared, prompt.tail().size());
    for (std::uint32_t other = 0; other < 2; ++other) {
      EXPECT_EQ(session.sharedLength(promptOf(ids), other), session.sharedLength(prompt, other));
    }
  };
  require(0, whole, 5);
  require(0, differs, 2);
  require(0, shorter, 4);
  require(0, {9}, 0);
  require(0, {}, 0);
  // The first four tokens of interaction 1 are stored with interaction 0.
  require(1, whole, 4);
  require(1, differs, 2);
  require(1, {1, 2, 3, 4, 9, 6, 7, 8}, 7);

  const Interaction& exact =
      session.interaction(record(session, promptSharing(session, 0, whole), generationOf({7}), {"u", "a", "y"}, {"b"}));
  EXPECT_EQ(0, exact.parentIndex());
  EXPECT_TRUE(exact.tokenExact);
  EXPECT_EQ(5u, exact.shared);
  const Interaction& broken = session.interaction(
      record(session, promptSharing(session, 0, differs), generationOf({7}), {"u", "a", "z"}, {"b"}));
  EXPECT_FALSE(broken.tokenExact);
  EXPECT_EQ(2u, broken.shared);
  EXPECT_STREQ("pieces: token 6 is -1; ids are not negative", test::thrownBy([&] {
                                                                promptSharing(session, 0, {1, 2, 3, 4, 5, 6, -1});
                                                              }).what());
  EXPECT_STREQ("likelyParent: interaction 9 is not one of the 4 recorded",
               test::thrownBy([&] { promptSharing(session, 9, whole); }).what());
}

TEST(Session, APromptMayOutliveItsSession) {
  std::optional<Prompt> prompt;
  {
    Session session(test::kKey);
    record(session, promptOf({1, 2}), generationOf({3}), {"u"}, {"a"});
    prompt = promptAfter(session, 0, {4});
  }
  EXPECT_EQ((std::vector<std::int32_t>{1, 2, 3, 4}), test::join(prompt->spans()));
}

TEST(Session, APromptOfAnotherSessionIsComparedNotTrusted) {
  Session other(test::kKey);
  record(other, promptOf({1, 2}), generationOf({3}), {"u"}, {"a"});
  Session session(test::kKey);
  record(session, promptOf({1, 2}), generationOf({9}), {"u"}, {"a"});
  const Interaction& made =
      session.interaction(record(session, promptAfter(other, 0, {4}), generationOf({5}), {"u", "a", "u2"}, {"a2"}));
  EXPECT_EQ(0, made.parentIndex());
  EXPECT_EQ(2u, made.shared);
  EXPECT_FALSE(made.tokenExact);
}

TEST(Session, OnlyARecordedInteractionCanBeNamed) {
  Session session(test::kKey);
  record(session, promptOf({1}), generationOf({2}), {"u"}, {"a"});
  EXPECT_STREQ("index: interaction 1 is not one of the 1 recorded",
               test::thrownBy([&] { session.setReward(1, 1); }).what());
  EXPECT_STREQ("base: interaction 1 is not one of the 1 recorded",
               test::thrownBy([&] { promptAfter(session, 1, {4}); }).what());
  EXPECT_STREQ("parent: interaction 1 is not one of the 1 recorded",
               test::thrownBy([&] { record(session, promptOf({1}), generationOf({2}), {"v"}, {"a"}, 1); }).what());
}

TEST(Session, APromptWhoseBaseIsNotTheParentKeepsItsTokens) {
  Session session(test::kKey);
  record(session, promptOf({1, 2}), generationOf({3}), {"u"}, {"a"});
  const Prompt prompt = promptAfter(session, 0, {4});
  const Interaction& made = session.interaction(record(session, prompt, generationOf({5}), {"v"}, {"a2"}, -1));
  EXPECT_EQ(-1, made.parentIndex());
  EXPECT_EQ((std::vector<std::int32_t>{1, 2, 3, 4}),
            std::vector<std::int32_t>(made.tailIds().begin(), made.tailIds().end()));
}

TEST(Session, AFailedRecordChangesNothing) {
  Session session(test::kKey);
  record(session, promptOf({1}), generationOf({2}), {"u"}, {"a"});
  EXPECT_CODE(kInvalidArg, record(session, promptOf({1}), generationOf({2}), {"u"}, {"a"}, 7));
  EXPECT_EQ(1u, session.length());
  EXPECT_EQ(0u, session.state(0).children);
  EXPECT_EQ(0u, session.findParent(test::digestsOf(std::vector<std::string>{"u", "a", "u2"}))->index);
  EXPECT_EQ(0u, session.findParent(test::digestsOf(std::vector<std::string>{"u", "u2"}))->index);
}

TEST(Session, RewardsAreFiniteAndReplaceable) {
  Session session(test::kKey);
  record(session, promptOf({1}), generationOf({2}), {"u"}, {"a"});
  EXPECT_CODE(kInvalidArg, session.setReward(0, std::numeric_limits<double>::infinity()));
  EXPECT_CODE(kInvalidArg, session.setReward(0, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_CODE(kInvalidArg, session.setReward(0, 1e300));
  EXPECT_CODE(kInvalidArg, session.setReward(1, 1));
  EXPECT_FALSE(session.state(0).isRewarded());
  session.setReward(0, 1);
  session.setReward(0, 0.25);
  EXPECT_EQ(0.25, session.state(0).ownReward);
}

TEST(Session, AChainOfAHundredThousandTurnsIsRecordedDiscountedAndReleased) {
  Session session(test::kKey);
  constexpr std::uint32_t turns = 100'000;
  for (std::uint32_t i = 0; i < turns; ++i) {
    const Prompt prompt = i == 0 ? promptOf({1}) : promptAfter(session, i - 1, {2});
    record(session, prompt, generationOf({3}), {std::to_string(i)}, {}, static_cast<std::int32_t>(i) - 1);
  }
  session.setReward(turns - 1, 1);
  EXPECT_EQ(1, SessionRewards(session, 1, std::vector<bool>(turns)).finalRewards[0]);
  std::vector<TokenSpan> spans;
  appendSequence(session.interaction(turns - 1), spans);
  EXPECT_EQ(2 * turns, test::join(spans).size());
}

TEST(Session, ALongSessionCostsAboutTenBytesAToken) {
  Session session(test::kKey);
  std::size_t tokens = 0;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const Prompt prompt = i == 0 ? promptOf({1}) : promptAfter(session, i - 1, std::vector<std::int32_t>(50, 2));
    record(session, prompt, generationOf(std::vector<std::int32_t>(1000, 3)), {std::to_string(i)}, {},
           static_cast<std::int32_t>(i) - 1);
    tokens += 1050;
  }
  EXPECT_LE(session.byteLength(), tokens * 10);
  EXPECT_LE(Session(test::kKey).byteLength(), 1024u);
}

TEST(Session, ALongHistoryOfEmptyTurnsCostsNothingToWalk) {
  Session session(test::kKey);
  record(session, promptOf({1, 2}), generationOf({3}), {"0"}, {}, -1);
  for (std::int32_t i = 1; i < 1000; ++i) {
    record(session, promptAfter(session, static_cast<std::uint32_t>(i - 1), {}), Generation(), {std::to_string(i)}, {},
           i - 1);
  }
  EXPECT_EQ(&session.interaction(0), session.interaction(999).source);
}

}  // namespace
}  // namespace rolltape
