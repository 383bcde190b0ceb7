#include "../core/message_index.h"

#include <gtest/gtest.h>

#include "support.h"

namespace rolltape {
namespace {

using Messages = std::vector<std::string>;

struct Recorded {
  Messages input;
  Messages conversation;
  bool dropped = false;
};

bool isStrictPrefix(const Messages& prefix, const Messages& of) {
  return prefix.size() < of.size() && std::equal(prefix.begin(), prefix.end(), of.begin());
}

/// The rule, word for word: the longest strict prefix, the newest of equals.
std::optional<std::uint32_t> longest(const std::vector<Recorded>& all, Messages Recorded::*list, const Messages& of) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].dropped || !isStrictPrefix(all[i].*list, of)) continue;
    if (!best || (all[i].*list).size() >= (all[*best].*list).size()) best = i;
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

void expectSameAnswers(MessageIndex& index, const std::vector<Recorded>& all, const Messages& request) {
  const auto digests = test::digestsOf(request);
  const auto found = index.findParent(digests);
  const auto continuation = longest(all, &Recorded::conversation, request);
  const auto messages = longest(all, &Recorded::input, request);
  ASSERT_EQ(continuation || messages, found.has_value());
  if (found) {
    EXPECT_EQ(continuation ? *continuation : *messages, found->index);
    EXPECT_EQ(continuation ? ParentRule::kContinuation : ParentRule::kMessages, found->rule);
  }
  std::vector<std::uint32_t> same;
  for (std::uint32_t i = all.size(); i-- > 0;) {
    if (!all[i].dropped && all[i].input == request) same.push_back(i);
  }
  EXPECT_EQ(same, index.findSame(digests));
}

TEST(MessageIndex, AnswersLikeASearchThroughAllRecords) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    MessageIndex index;
    std::vector<Recorded> all;
    for (int step = 0; step < 80; ++step) {
      if (!all.empty() && random.chance(0.25)) {
        const std::uint32_t dropped = random.below(static_cast<std::uint32_t>(all.size()));
        all[dropped].dropped = true;
        index.drop(dropped);
      } else {
        Recorded made{randomMessages(random, 4), {}};
        made.conversation = made.input;
        for (const std::string& message : randomMessages(random, 2)) made.conversation.push_back(message);
        index.add(digestOf(made.input), digestOf(made.conversation));
        all.push_back(made);
      }
      expectSameAnswers(index, all, randomMessages(random, 6));
    }
  }
}

TEST(MessageIndex, ARequestIsNotItsOwnParent) {
  MessageIndex index;
  const Messages messages{"a", "b"};
  index.add(digestOf(messages), digestOf({"a", "b", "c"}));
  EXPECT_FALSE(index.findParent(test::digestsOf(messages)));
}

TEST(MessageIndex, AContinuationWinsOverALongerInput) {
  MessageIndex index;
  index.add(digestOf({"u"}), digestOf({"u", "a"}));
  index.add(digestOf({"u", "a", "u2"}), digestOf({"u", "a", "u2", "other"}));
  const auto match = index.findParent(test::digestsOf(Messages{"u", "a", "u2", "a2"}));
  ASSERT_TRUE(match);
  EXPECT_EQ(0u, match->index);
  EXPECT_EQ(ParentRule::kContinuation, match->rule);
}

/// Were what was dropped met again by each search, there would be half a million million steps.
TEST(MessageIndex, AttemptsThatTakeEachOthersPlaceCostNoMoreTheMoreThereAre) {
  MessageIndex index;
  const auto digests = test::digestsOf(Messages{"question"});
  const MessageDigest conversation = digestOf({"question", "answer"});
  constexpr std::uint32_t attempts = 1'000'000;
  for (std::uint32_t attempt = 0; attempt < attempts; ++attempt) {
    index.add(digests.back(), conversation);
    if (attempt > 0) index.drop(attempt - 1);
    ASSERT_EQ(std::vector{attempt}, index.findSame(digests));
  }
  EXPECT_EQ(attempts - 1, index.findParent(test::digestsOf(Messages{"question", "answer", "more"}))->index);
}

}  // namespace
}  // namespace rolltape
