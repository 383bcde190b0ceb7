#include <gtest/gtest.h>

#include "../packed.h"
#include "branched_session.h"

/// The lowest and the highest weight version of rows and turns, and which of them were cut.

namespace rolltape {
namespace {

using test::Indices;
using test::packedTensor;
using Ids = std::vector<std::int32_t>;
using Numbers = std::vector<std::int32_t>;
using Flags = std::vector<std::uint8_t>;

std::shared_ptr<const RowColumns> versionColumns() {
  using Source = RowSource;
  return std::make_shared<const RowColumns>(
      RowColumns{{.name = "min", .dtype = Dtype::kI32, .source = Source::kMinVersion, .perTurn = true},
                 {.name = "max", .dtype = Dtype::kI32, .source = Source::kMaxVersion, .perTurn = true},
                 {.name = "cut", .dtype = Dtype::kBool, .source = Source::kTruncated, .knownLabels = {"length"}},
                 {.name = "index", .dtype = Dtype::kI32, .source = Source::kInteraction, .perTurn = true}});
}

Generation sampledWith(const Numbers& versions) {
  Generation generation;
  const Ids ids(versions.size(), 7);
  const std::vector<float> logprobs(versions.size(), -1);
  generation.append(ids, logprobs, std::span<const std::int32_t>(versions));
  return generation;
}

/// A turn sampled with versions 5, 4 and 6, and one after it with 3 and 8.
void recordTurns(Session& session) {
  test::record(session, test::promptOf({1}), sampledWith({5, 4, 6}), {}, {}, -1);
  test::record(session, test::promptAfter(session, 0, {2}), sampledWith({3, 8}), {}, {}, 0);
}

test::Packed packedOf(const Session& session, PlanOptions options, Indices leftOut = {}, Indices filtered = {}) {
  options.columns = versionColumns();
  return test::packed(test::planWithout(session, std::move(leftOut), std::move(filtered), options), {});
}

Numbers numbers(const test::Packed& packed, const char* name) {
  return packedTensor<std::int32_t>(packed, name);
}

TEST(VersionColumns, OfARowAreTheLowestAndTheHighestOfItsTurns) {
  Session session(test::kKey);
  recordTurns(session);
  const test::Packed individual = packedOf(session, {});
  EXPECT_EQ((Numbers{4, 3}), numbers(individual, "row_min"));
  EXPECT_EQ((Numbers{6, 8}), numbers(individual, "row_max"));
  const test::Packed concat = packedOf(session, {.style = RowStyle::kConcat, .turns = true});
  EXPECT_EQ(Numbers{3}, numbers(concat, "row_min"));
  EXPECT_EQ(Numbers{8}, numbers(concat, "row_max"));
  EXPECT_EQ((Numbers{4, 3}), numbers(concat, "turn_min"));
  EXPECT_EQ((Numbers{6, 8}), numbers(concat, "turn_max"));
  EXPECT_EQ(Numbers{1}, numbers(concat, "row_index"));
  EXPECT_EQ((Numbers{0, 1}), numbers(concat, "turn_index"));
}

TEST(VersionColumns, CountOnlyTokensThatTheRowHolds) {
  Session session(test::kKey);
  recordTurns(session);  // outputs at 1 to 3, and at 5 and 6
  const auto cutTo = [&](std::uint32_t length) {
    return packedOf(session,
                    {.style = RowStyle::kConcat, .maxLength = length, .overflow = Overflow::kTruncate, .turns = true});
  };
  EXPECT_EQ((Numbers{4, 3}), numbers(cutTo(6), "turn_min"));
  EXPECT_EQ((Numbers{6, 3}), numbers(cutTo(6), "turn_max"));
  EXPECT_EQ(Numbers{6}, numbers(cutTo(6), "row_max"));
  EXPECT_EQ((Numbers{5, -1}), numbers(cutTo(2), "turn_min"));
  EXPECT_EQ((Numbers{5, -1}), numbers(cutTo(2), "turn_max"));
  EXPECT_EQ(Numbers{-1}, numbers(cutTo(1), "row_min"));
}

TEST(VersionColumns, LeaveOutForcedTokens) {
  Session session(test::kKey);
  Generation generation = sampledWith({5, 4, 6});
  generation.setForced({{1, 2}});
  test::record(session, test::promptOf({1}), generation, {}, {}, -1);
  const test::Packed packed = packedOf(session, {});
  EXPECT_EQ(Numbers{5}, numbers(packed, "row_min"));
  EXPECT_EQ(Numbers{5}, numbers(packed, "row_max"));
}

TEST(VersionColumns, LeaveOutTurnsThatAreFiltered) {
  Session session(test::kKey);
  recordTurns(session);
  test::record(session, test::promptAfter(session, 1, {2}), sampledWith({7}), {}, {}, 1);
  const test::Packed packed = packedOf(session, {.style = RowStyle::kConcat}, {}, {1});
  EXPECT_EQ(Numbers{4}, numbers(packed, "row_min"));
  EXPECT_EQ(Numbers{7}, numbers(packed, "row_max"));
}

TEST(VersionColumns, OfNodesThatAreNotTrainedOnAreMissing) {
  Session session(test::kKey);
  recordTurns(session);
  EXPECT_EQ((Numbers{4, -1}), numbers(packedOf(session, {.layout = Layout::kTree}, {1}), "row_min"));
  EXPECT_EQ((Numbers{-1, 8}), numbers(packedOf(session, {.layout = Layout::kTree}, {}, {0}), "row_max"));
  const PlanOptions included{.layout = Layout::kTree, .includeLeftOut = true};
  EXPECT_EQ((Numbers{4, 3}), numbers(packedOf(session, included, {1}), "row_min"));
}

TEST(TruncatedColumn, MarksRowsThatAreCutAndTurnsWithAKnownLabel) {
  Session session(test::kKey);
  const auto add = [&](const Generation& output, const LabelSet& labels) {
    const Prompt prompt = test::promptOf({1});
    session.record(
        {.prompt = prompt, .generation = output, .digests = {}, .output = {}, .parent = -1, .labels = labels});
  };
  add(sampledWith({5, 5}), {"stop"});
  add(sampledWith({5, 5}), {"length"});
  add(sampledWith({5, 5, 5}), {});
  add(sampledWith({5}), {});
  const test::Packed packed = packedOf(session, {.maxLength = 3, .overflow = Overflow::kTruncate});
  EXPECT_EQ((Flags{0, 1, 1, 0}), packedTensor<std::uint8_t>(packed, "row_cut"));
}

}  // namespace
}  // namespace rolltape
