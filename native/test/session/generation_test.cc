#include "../../core/session/generation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../support.h"

namespace rolltape {
namespace {

using Ids = std::vector<std::int32_t>;
using Floats = std::vector<float>;

Ids idsOf(const Generation& generation) {
  return {generation.ids().begin(), generation.ids().end()};
}

TEST(Generation, HoldsWhatWasAppendedWithItsVersions) {
  Generation generation;
  generation.append(Ids{1, 2}, Floats{-1, -2}, 5);
  generation.append(Ids{3, 4, 5}, Floats{-3, -4, -5}, Ids{5, 6, 6});
  EXPECT_EQ((Ids{1, 2, 3, 4, 5}), idsOf(generation));
  EXPECT_EQ((Floats{-1, -2, -3, -4, -5}), Floats(generation.logprobs().begin(), generation.logprobs().end()));
  EXPECT_EQ((std::vector<VersionRun>{{0, 5}, {3, 6}}),
            std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
}

TEST(Generation, RefusesWhatDoesNotFitTogetherAndStaysAsItWas) {
  Generation generation;
  generation.append(Ids{1}, Floats{-1}, 0);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_CODE(kInvalidArg, generation.append(Ids{1, 2}, Floats{-1}, 0));
  EXPECT_CODE(kInvalidArg, generation.append(Ids{1}, Floats{-1}, Ids{1, 2}));
  EXPECT_CODE(kInvalidArg, generation.append(Ids{3, -1}, Floats{-1, -1}, 0));
  EXPECT_CODE(kReplyNotFinite, generation.append(Ids{3, 4}, Floats{-1, std::nanf("")}, 0));
  EXPECT_CODE(kReplyNotFinite, generation.append(Ids{3}, Floats{-infinity}, 0));
  EXPECT_EQ(Ids{1}, idsOf(generation));
  EXPECT_EQ(1u, generation.versionRuns().size());
}

TEST(Generation, RefusesWhatIsBeyondItsLimitsAndStaysAsItWas) {
  Generation generation(OutputLimits{.vocabularySize = 10, .maxTokens = 3});
  generation.append(Ids{9}, Floats{kMaxLogprob}, 0);
  EXPECT_CODE(kReplyImpossible, generation.append(Ids{10}, Floats{-1}, 0));
  EXPECT_CODE(kReplyImpossible, generation.append(Ids{1}, Floats{0.002F}, Ids{0}));
  EXPECT_CODE(kReplyImpossible, generation.append(Ids{1, 2, 3}, Floats{-1, -1, -1}, 0));
  EXPECT_CODE(kReplyImpossible, generation.appendTop(Ids{10}, Floats{-1}, 1));
  const auto other = [](TopLogprobs top) { return Generation(Ids{1}, Floats{-1}, {{0, 5}}, std::move(top)); };
  EXPECT_CODE(kReplyImpossible, generation.append(other(TopLogprobs(1, Ids{10}, Floats{-1}))));
  EXPECT_CODE(kReplyImpossible, generation.append(other(TopLogprobs(1, Ids{1}, Floats{1}))));
  EXPECT_EQ(Ids{9}, idsOf(generation));
  EXPECT_TRUE(generation.top().empty());
  generation.truncate(0, 2);
  generation.append(other({}));
  EXPECT_CODE(kReplyImpossible, generation.append(Ids{10}, Floats{-1}, 0));
}

TEST(Generation, TakesOverAnotherOrAddsIt) {
  const auto made = [] {
    return Generation(Ids{1, 2}, Floats{-1, -2}, {{0, 5}, {1, 6}}, TopLogprobs(1, Ids{7, -1}, Floats{-3, 0}));
  };
  Generation generation;
  generation.append(made());
  generation.append(made());
  EXPECT_EQ((Ids{1, 2, 1, 2}), idsOf(generation));
  EXPECT_EQ((Floats{-1, -2, -1, -2}), Floats(generation.logprobs().begin(), generation.logprobs().end()));
  EXPECT_EQ((std::vector<VersionRun>{{0, 5}, {1, 6}, {2, 5}, {3, 6}}),
            std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
  EXPECT_EQ((Ids{7, -1, 7, -1}), Ids(generation.top().ids().begin(), generation.top().ids().end()));
  Generation same;
  same.append(Generation());
  same.append(made());
  EXPECT_EQ(2u, same.length());
}

TEST(Generation, PutsAlternativesWithTheLastTokens) {
  Generation generation;
  generation.append(Ids{1, 2, 3}, Floats{-1, -2, -3}, 0);
  generation.appendTop(Ids{20, 21, 30, -1}, Floats{-2, -2.5, -3, -9}, 2);
  ASSERT_EQ(2u, generation.top().width());
  EXPECT_EQ((Ids{-1, -1, 20, 21, 30, -1}), Ids(generation.top().ids().begin(), generation.top().ids().end()));
  EXPECT_EQ((Floats{0, 0, -2, -2.5, -3, 0}),
            Floats(generation.top().logprobs().begin(), generation.top().logprobs().end()));
}

TEST(Generation, WidensForMoreAlternativesAndLeavesPlacesForFewer) {
  Generation generation;
  generation.append(Ids{1}, Floats{-1}, 0);
  generation.appendTop(Ids{10}, Floats{-1}, 1);
  generation.append(Ids{2}, Floats{-2}, 0);
  generation.appendTop(Ids{20, 21, 22}, Floats{-1, -2, -3}, 3);
  generation.append(Ids{3}, Floats{-2}, 0);
  generation.appendTop(Ids{30}, Floats{-1}, 1);
  EXPECT_EQ((Ids{10, -1, -1, 20, 21, 22, 30, -1, -1}),
            Ids(generation.top().ids().begin(), generation.top().ids().end()));
}

TEST(Generation, RefusesAlternativesForTokensThatAreNotThere) {
  Generation generation;
  generation.append(Ids{1}, Floats{-1}, 0);
  EXPECT_CODE(kInvalidArg, generation.appendTop(Ids{1, 2}, Floats{-1, -2}, 1));
  EXPECT_CODE(kInvalidArg, generation.appendTop(Ids{1, 2, 3}, Floats{-1, -2, -3}, 2));
  EXPECT_CODE(kInvalidArg, generation.appendTop(Ids{1}, Floats{-1}, 0));
  EXPECT_CODE(kInvalidArg, generation.appendTop(Ids{1}, Floats{-1, -2}, 1));
  EXPECT_CODE(kInvalidArg, generation.appendTop(Ids{-2}, Floats{-1}, 1));
  EXPECT_CODE(kReplyNotFinite, generation.appendTop(Ids{1}, Floats{std::nanf("")}, 1));
  EXPECT_TRUE(generation.top().empty());
}

TEST(Generation, AppendsAnotherWithItsVersionsAndAlternatives) {
  Generation whole = test::generationOf({1, 2}, 3);
  Generation more = test::generationOf({4, 5}, 3);
  more.append(Ids{6}, Floats{-1}, 4);
  more.appendTop(Ids{60, 61}, Floats{-1, -2}, 2);
  whole.append(more);
  EXPECT_EQ((Ids{1, 2, 4, 5, 6}), idsOf(whole));
  EXPECT_EQ((std::vector<VersionRun>{{0, 3}, {4, 4}}),
            std::vector<VersionRun>(whole.versionRuns().begin(), whole.versionRuns().end()));
  EXPECT_EQ((Ids{-1, -1, -1, -1, -1, -1, -1, -1, 60, 61}), Ids(whole.top().ids().begin(), whole.top().ids().end()));
}

TEST(Generation, HasNoAlternativesOfAnotherWithoutThem) {
  Generation whole = test::generationOf({1});
  whole.appendTop(Ids{10}, Floats{-1}, 1);
  whole.append(test::generationOf({2}));
  EXPECT_EQ(Ids{10}, Ids(whole.top().ids().begin(), whole.top().ids().end()));
  whole.append(Ids{3}, Floats{-1}, 0);
  whole.appendTop(Ids{30}, Floats{-1}, 1);
  EXPECT_EQ((Ids{10, -1, 30}), Ids(whole.top().ids().begin(), whole.top().ids().end()));
}

TEST(Generation, ForgetsItsEnd) {
  Generation generation(Ids{1, 2, 3}, Floats{-1, -2, -3}, {{0, 5}, {1, 6}},
                        TopLogprobs(1, Ids{7, 8, 9}, Floats{0, 0, 0}));
  generation.truncate(1, 2);
  EXPECT_EQ(Ids{1}, idsOf(generation));
  EXPECT_EQ((std::vector<VersionRun>{{0, 5}}),
            std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
  EXPECT_EQ(1u, generation.top().ids().size());
  EXPECT_CODE(kInvalidArg, generation.truncate(2, 2));
  generation.truncate(0, 2);
  EXPECT_EQ(0u, generation.length());
  EXPECT_TRUE(generation.top().empty());
  EXPECT_TRUE(generation.versionRuns().empty());
}

TEST(Generation, GivesItsEndOtherVersionsAsItGrows) {
  Generation generation;
  generation.append(Ids{1, 2, 3}, Floats{-1, -2, -3}, Ids{1, 2, 3});
  generation.append(test::generationOf({4}, 3), 2, std::vector<VersionRun>{{0, 2}, {1, 9}});
  EXPECT_EQ((Ids{1, 2, 3, 4}), idsOf(generation));
  EXPECT_EQ((std::vector<VersionRun>{{0, 1}, {1, 2}, {3, 9}}),
            std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
}

}  // namespace
}  // namespace rolltape
