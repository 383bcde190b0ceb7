#include <gtest/gtest.h>

#include <utility>

#include "../../core/session/missing_items.h"
#include "../support.h"

namespace rolltape {
namespace {

const ChannelSpec kScores{.name = "teacher_big_logprobs", .dtype = Dtype::kF32, .ofSequence = true};

/// Scores of `count` tokens from `first` on: the token's position, negative.
ChannelBuffer scoresOf(std::uint32_t first, std::uint32_t count, const ChannelSpec& spec = kScores) {
  std::vector<std::byte> values(count * sizeof(float));
  for (std::uint32_t i = 0; i < count; ++i) {
    const float value = -static_cast<float>(first + i);
    std::memcpy(values.data() + i * sizeof value, &value, sizeof value);
  }
  return makeChannel(spec, first, std::move(values), {});
}

/// A root [1, 2] [3, 4], a child [1, 2, 3, 4, 5] [6] and another one [1, 2, 3, 9] [7, 8], which shares three tokens.
Session branches() {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2}), test::generationOf({3, 4}), {"q"}, {"a"}, -1);
  test::record(session, test::promptAfter(session, 0, {5}), test::generationOf({6}), {"q", "a", "r"}, {"b"}, 0);
  test::record(session, test::promptSharing(session, 0, {1, 2, 3, 9}), test::generationOf({7, 8}), {"q", "x"}, {"c"},
               0);
  return session;
}

using Missing = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Missing missingOf(const Session& session) {
  Missing pairs;
  for (const MissingItems& items : listMissing(*session.storage(), kScores.name)) {
    pairs.emplace_back(items.leaf, items.first);
  }
  return pairs;
}

std::vector<float> itemsOf(const Interaction& interaction) {
  std::vector<float> items;
  for (const ChannelRun& run : interaction.addedChannels()) {
    const std::span<const std::byte> bytes = run.bytes(run.first, run.end());
    const std::size_t before = items.size();
    items.resize(before + run.count);
    std::memcpy(items.data() + before, bytes.data(), bytes.size());
  }
  return items;
}

TEST(AddedChannels, ListsEachMissingTokenOnce) {
  const Session session = branches();
  // The second child covers three tokens of the root, the first child the fourth one.
  EXPECT_EQ(missingOf(session), (Missing{{2, 1}, {1, 3}}));
  EXPECT_EQ(countMissing(session.interaction(0), kScores.name), 3u);
  EXPECT_EQ(countMissing(session.interaction(1), kScores.name), 2u);
  EXPECT_EQ(countMissing(session.interaction(2), kScores.name), 3u);
}

TEST(AddedChannels, StoresEachItemWithTheInteractionOfItsToken) {
  Session session = branches();
  const ChannelBuffer second = scoresOf(1, 5);
  EXPECT_EQ(session.addChannel(2, second.run(0)), (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(itemsOf(session.interaction(0)), (std::vector<float>{-1, -2}));
  EXPECT_EQ(itemsOf(session.interaction(2)), (std::vector<float>{-3, -4, -5}));
  EXPECT_EQ(missingOf(session), (Missing{{1, 3}}));
  const ChannelBuffer first = scoresOf(3, 3);
  EXPECT_EQ(session.addChannel(1, first.run(0)), (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(itemsOf(session.interaction(0)), (std::vector<float>{-1, -2, -3}));
  EXPECT_EQ(itemsOf(session.interaction(1)), (std::vector<float>{-4, -5}));
  EXPECT_TRUE(missingOf(session).empty());
}

TEST(AddedChannels, KeepsItemsAndLeavesNoGap) {
  Session session = branches();
  session.addChannel(0, scoresOf(1, 2).run(0));
  const ChannelBuffer again = scoresOf(1, 3);
  session.addChannel(0, again.run(0));
  EXPECT_EQ(itemsOf(session.interaction(0)), (std::vector<float>{-1, -2, -3}));
  EXPECT_TRUE(session.addChannel(0, again.run(0)).empty());
  // Token 4 of the child has no item yet, so token 5 gets none.
  EXPECT_TRUE(session.addChannel(1, scoresOf(5, 1).run(0)).empty());
}

TEST(AddedChannels, CountsItemsInTheMemoryOfTheSession) {
  Session session = branches();
  const std::size_t before = session.byteLength();
  session.addChannel(2, scoresOf(1, 5).run(0));
  EXPECT_GT(session.byteLength(), before + 5 * sizeof(float));
}

TEST(AddedChannels, RefusesWhatCannotBeAdded) {
  Session session = branches();
  EXPECT_CODE(kInvalidArg, session.addChannel(3, scoresOf(1, 1).run(0)));
  EXPECT_CODE(kInvalidArg, session.addChannel(2, scoresOf(1, 6).run(0)));
  ChannelSpec output = kScores;
  output.ofSequence = false;
  EXPECT_CODE(kInvalidArg, session.addChannel(2, scoresOf(1, 5, output).run(0)));
  session.addChannel(2, scoresOf(1, 5).run(0));
  ChannelSpec other = kScores;
  other.shape = {1};
  EXPECT_CODE(kInvalidArg, session.addChannel(1, scoresOf(3, 3, other).run(0)));
}

TEST(AddedChannels, DeclaresAChannelOnce) {
  Session session = branches();
  session.declareChannel(kScores);
  ChannelSpec other = kScores;
  other.shape = {1};
  session.declareChannel(other);
  EXPECT_EQ(session.storage()->channelSpecs, (std::set<ChannelSpec>{kScores}));
  EXPECT_CODE(kInvalidArg, session.declareChannel({.name = "teacher_big_logprobs_mask", .ofSequence = true}));
}

std::vector<std::uint8_t> serialized(const Session& session, std::uint32_t index) {
  const InteractionWriter writer = session.serialize(index);
  std::vector<std::uint8_t> bytes(writer.byteLength());
  writer.write(bytes.data());
  return bytes;
}

std::vector<std::uint8_t> serializedAdded(const Session& session, std::uint32_t index) {
  const AddedChannelsWriter writer = session.serializeAdded(index);
  std::vector<std::uint8_t> bytes(writer.byteLength());
  writer.write(bytes.data());
  return bytes;
}

/// A session with the interactions of another one, without the items that were added to them.
Session withoutItems(const Session& session) {
  Session restored(test::kKey);
  for (std::uint32_t i = 0; i < session.length(); ++i) restored.restore(serialized(session, i));
  return restored;
}

TEST(AddedChannels, AreStoredApartFromTheirInteractions) {
  Session session = branches();
  const std::vector<std::uint8_t> before = serialized(session, 0);
  session.addChannel(0, scoresOf(1, 2).run(0));
  session.addChannel(0, scoresOf(1, 3).run(0));
  EXPECT_EQ(serialized(session, 0), before);
  Session restored = withoutItems(session);
  EXPECT_TRUE(itemsOf(restored.interaction(0)).empty());
  restored.restoreAdded(serializedAdded(session, 0));
  EXPECT_EQ(itemsOf(restored.interaction(0)), (std::vector<float>{-1, -2, -3}));
}

TEST(AddedChannels, RefuseDamagedBytes) {
  Session session = branches();
  session.addChannel(2, scoresOf(1, 5).run(0));
  const std::vector<std::uint8_t> bytes = serializedAdded(session, 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Session restored = withoutItems(session);
    std::vector<std::uint8_t> damaged = bytes;
    damaged[i] ^= 1;
    EXPECT_CODE(kStoredInvalid, restored.restoreAdded(damaged)) << i;
    EXPECT_CODE(kStoredInvalid, restored.restoreAdded(std::span(bytes).first(i))) << i;
  }
  Session restored = withoutItems(session);
  restored.restoreAdded(bytes);
  EXPECT_CODE(kStoredInvalid, restored.restoreAdded(bytes));
}

TEST(AddedChannels, RefuseItemsOfAChannelOfWhichTheSessionHasAnother) {
  Session session = branches();
  session.addChannel(2, scoresOf(1, 5).run(0));
  Session other = branches();
  ChannelSpec mask = kScores;
  mask.name += "_mask";
  other.addChannel(2, scoresOf(1, 5, mask).run(0));
  EXPECT_CODE(kStoredInvalid, session.restoreAdded(serializedAdded(other, 2)));
}

TEST(AddedChannels, AreNotSeenAtAnEarlierMoment) {
  Session session = branches();
  session.addChannel(0, scoresOf(1, 1).run(0));
  const std::uint64_t moment = lastChannelMoment();
  session.addChannel(0, scoresOf(1, 3).run(0));
  EXPECT_EQ(session.interaction(0).channels(moment).size(), 1u);
  EXPECT_EQ(session.interaction(0).channels().size(), 2u);
  EXPECT_TRUE(session.interaction(0).channels(0).empty());
}

}  // namespace
}  // namespace rolltape
