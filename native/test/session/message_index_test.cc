#include "../../core/session/message_index.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

using Messages = std::vector<std::string>;

struct Recorded {
  Messages input;
  Messages conversation;
  CallIds callIds = {};
};

bool isStrictPrefix(const Messages& prefix, const Messages& of) {
  return prefix.size() < of.size() && std::equal(prefix.begin(), prefix.end(), of.begin());
}

struct Request {
  Messages messages;
  /// Of each message; empty without tool calls.
  std::vector<std::uint64_t> callIds = {};
};

/// The rule, word for word: the longest strict prefix; of equals the newest with the request's call ids, else the
/// newest.
std::optional<std::uint32_t> longest(const std::vector<Recorded>& all, Messages Recorded::*list,
                                     std::uint64_t CallIds::*ids, const Request& of) {
  std::optional<std::uint32_t> best;
  const auto length = [&](std::uint32_t i) { return (all[i].*list).size(); };
  const auto hasIds = [&](std::uint32_t i) {
    const std::uint64_t wanted = of.callIds.empty() || length(i) == 0 ? 0 : of.callIds[length(i) - 1];
    return wanted != 0 && all[i].callIds.*ids == wanted;
  };
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (!isStrictPrefix(all[i].*list, of.messages)) continue;
    if (best && length(i) < length(*best)) continue;
    if (best && length(i) == length(*best) && hasIds(*best) && !hasIds(i)) continue;
    best = i;
  }
  return best;
}

MessageDigest digestOf(const Messages& messages) {
  const auto digests = test::digestsOf(messages);
  return digests.empty() ? MessageDigest{} : digests.back();
}

Messages randomMessages(test::Random& random, std::uint32_t most) {
  Messages messages(random.below(most + 1));
  for (std::string& message : messages) message = random.chance(0.6) ? "a" : "b";
  return messages;
}

void expectSameAnswer(const MessageIndex& index, const std::vector<Recorded>& all, const Request& request) {
  const auto digests = test::digestsOf(request.messages);
  const auto found = index.findParent(digests, request.callIds);
  const auto continuation = longest(all, &Recorded::conversation, &CallIds::conversation, request);
  const auto messages = longest(all, &Recorded::input, &CallIds::input, request);
  ASSERT_EQ(continuation || messages, found.has_value());
  if (found) {
    EXPECT_EQ(continuation ? *continuation : *messages, found->index);
    EXPECT_EQ(continuation ? ParentRule::kContinuation : ParentRule::kMessages, found->rule);
  }
}

Request randomRequest(test::Random& random, bool withIds) {
  Request request{randomMessages(random, 6)};
  if (!withIds) return request;
  for (std::size_t i = 0; i < request.messages.size(); ++i) request.callIds.push_back(random.below(4));
  return request;
}

TEST(MessageIndex, AnswersLikeASearchThroughAllRecords) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    test::Random random(seed);
    const bool withIds = seed % 2 == 1;
    MessageIndex index;
    std::vector<Recorded> all;
    for (int step = 0; step < 80; ++step) {
      Recorded made{randomMessages(random, 4), {}};
      made.conversation = made.input;
      for (const std::string& message : randomMessages(random, 2)) made.conversation.push_back(message);
      if (withIds) made.callIds = {random.below(4), random.below(4)};
      index.add({digestOf(made.input), digestOf(made.conversation), made.callIds});
      all.push_back(made);
      expectSameAnswer(index, all, randomRequest(random, withIds));
    }
  }
}

TEST(MessageIndex, ARequestIsNotItsOwnParent) {
  MessageIndex index;
  const Messages messages{"a", "b"};
  index.add({digestOf(messages), digestOf({"a", "b", "c"})});
  EXPECT_FALSE(index.findParent(test::digestsOf(messages)));
}

TEST(MessageIndex, AContinuationWinsOverALongerInput) {
  MessageIndex index;
  index.add({digestOf({"u"}), digestOf({"u", "a"})});
  index.add({digestOf({"u", "a", "u2"}), digestOf({"u", "a", "u2", "other"})});
  const auto match = index.findParent(test::digestsOf(Messages{"u", "a", "u2", "a2"}));
  ASSERT_TRUE(match);
  EXPECT_EQ(0u, match->index);
  EXPECT_EQ(ParentRule::kContinuation, match->rule);
}

/// Two calls with the same messages and the same answer, apart from the ids of its tool calls.
class Twins : public testing::Test {
 protected:
  Twins() {
    for (const std::uint64_t ids : {11, 22}) index_.add({digestOf({"u"}), digestOf({"u", "a"}), {0, ids}});
  }
  std::uint32_t parentOf(std::uint64_t ids) {
    return index_.findParent(test::digestsOf(Messages{"u", "a", "result"}), std::vector<std::uint64_t>{0, ids, ids})
        ->index;
  }
  MessageIndex index_;
};

TEST_F(Twins, AreToldApartByTheirToolCallIds) {
  EXPECT_EQ(0u, parentOf(11));
  EXPECT_EQ(1u, parentOf(22));
}

TEST_F(Twins, OfWhichNoneHasTheIdsGiveTheNewest) {
  EXPECT_EQ(1u, parentOf(33));
  EXPECT_EQ(1u, parentOf(0));
  EXPECT_EQ(1u, index_.findParent(test::digestsOf(Messages{"u", "a", "result"}))->index);
}

TEST_F(Twins, OfWhichSeveralHaveTheIdsGiveTheNewestOfThem) {
  index_.add({digestOf({"u"}), digestOf({"u", "a"}), {0, 11}});
  index_.add({digestOf({"u"}), digestOf({"u", "a"}), {0, 44}});
  EXPECT_EQ(2u, parentOf(11));
}

TEST_F(Twins, AreListedFromTheNewestIfTheyHaveTheSameIds) {
  index_.add({digestOf({"u"}), digestOf({"u", "a"}), {0, 11}});
  index_.add({digestOf({"u"}), digestOf({"u", "a"}), {0, 22}});
  EXPECT_EQ(0u, index_.olderTwin(2));
  EXPECT_EQ(1u, index_.olderTwin(3));
  EXPECT_FALSE(index_.olderTwin(0));
}

TEST(MessageIndex, AnOlderTwinHasTheSameInput) {
  MessageIndex index;
  index.add({digestOf({"u"}), digestOf({"u", "a", "b"})});
  index.add({digestOf({"u", "a"}), digestOf({"u", "a", "b"})});
  index.add({digestOf({"u"}), digestOf({"u", "a", "b"})});
  EXPECT_FALSE(index.olderTwin(1));
  EXPECT_EQ(0u, index.olderTwin(2));
}

TEST_F(Twins, AreLookedForAmongEqualsOnly) {
  index_.add({digestOf({"u", "a"}), digestOf({"u", "a", "result"}), {33, 33}});
  const auto digests = test::digestsOf(Messages{"u", "a", "result", "more"});
  EXPECT_EQ(2u, index_.findParent(digests, std::vector<std::uint64_t>{0, 11, 11, 11})->index);
}

/// If each search met the older ones, there would be half a million million steps.
TEST(MessageIndex, TheNewestOfManyEqualsIsFoundAtOnce) {
  MessageIndex index;
  const MessageDigest input = digestOf({"question"});
  const MessageDigest conversation = digestOf({"question", "answer"});
  const auto continued = test::digestsOf(Messages{"question", "answer", "more"});
  const auto rewritten = test::digestsOf(Messages{"question", "more"});
  for (std::uint32_t equal = 0; equal < 1'000'000; ++equal) {
    index.add({input, conversation});
    ASSERT_EQ(equal, index.findParent(continued)->index);
    ASSERT_EQ(equal, index.findParent(rewritten)->index);
  }
}

}  // namespace
}  // namespace rolltape
