#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "../core/reply/sglang/reply.h"
#include "../memory/shared_pool.h"
#include "../memory/warm_pool.h"
#include "memory/shared_support.h"
#include "outline.h"
#include "packed.h"
#include "stored.h"
#include "support.h"

namespace {

/// Allocations that still succeed; negative: all do.
thread_local long allocationsLeft = -1;

}  // namespace

// Not inlined: GCC takes malloc and free inside them for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocationsLeft == 0) throw std::bad_alloc();
  if (allocationsLeft > 0) --allocationsLeft;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort asks for its buffer so; every form of new must match the deletes below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (allocationsLeft == 0) return nullptr;
  if (allocationsLeft > 0) --allocationsLeft;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace rolltape {
namespace {

/// Calls `attempt` with one allocation more each time until it succeeds, and `expectUnchanged` after each failure.
/// Returns how often it failed.
template <typename Attempt, typename ExpectUnchanged>
int failEveryAllocation(Attempt attempt, ExpectUnchanged expectUnchanged) {
  for (int allowed = 0;; ++allowed) {
    allocationsLeft = allowed;
    try {
      attempt();
      allocationsLeft = -1;
      return allowed;
    } catch (const std::bad_alloc&) {
      allocationsLeft = -1;
      expectUnchanged();
    }
  }
}

TEST(AllocationFailure, ARecordIsAllOrNothing) {
  const std::vector<std::int32_t> many(400, 5);
  const Prompt first = test::promptOf(many);
  const Generation generation = test::generationOf(many);
  const auto digests = test::digestsOf(std::vector<std::string>{"u", "v"});
  const auto continued = test::digestsOf(std::vector<std::string>{"u", "v", "b", "w"});
  const auto rewritten = test::digestsOf(std::vector<std::string>{"u", "v", "w"});
  const std::vector<std::string> output{"b"};
  const std::vector<std::uint32_t> facts(17, 1);
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {"u"}, {"a"});
  for (std::uint32_t round = 1; round < 40; ++round) {
    const auto expectUnchanged = [&] {
      EXPECT_EQ(round, session.length());
      EXPECT_EQ(round, session.storage()->interactions.size());
      EXPECT_EQ(round - 1, session.state(0).children);
      EXPECT_EQ(round - 1, session.findParent(continued)->index);
      EXPECT_EQ(round - 1, session.findParent(rewritten)->index);
    };
    EXPECT_GT(failEveryAllocation(
                  [&] {
                    RecordInput input{first, generation, digests, output, 0};
                    input.facts = facts;
                    input.labels = {"stop", "a label that is longer than a small string " + std::to_string(round)};
                    session.record(input);
                  },
                  expectUnchanged),
              0);
  }
}

TEST(AllocationFailure, ARestoreIsAllOrNothing) {
  const std::vector<std::string> messages{"u"};
  const auto digests = test::digestsOf(messages);
  const std::vector<std::uint32_t> facts(17, 1);
  Session session(test::kKey);
  for (std::int32_t turn = 0; turn < 20; ++turn) {
    const Prompt prompt = test::promptOf(std::vector<std::int32_t>(400, turn));
    const Generation generation = test::generationOf({turn});
    const std::vector<std::string> output{std::to_string(turn)};
    RecordInput input{prompt, generation, digests, output, turn - 1, facts};
    input.labels = {"stop", "a label that is longer than a small string " + std::to_string(turn)};
    session.record(input);
  }
  Session copy(test::kKey);
  for (std::uint32_t i = 0; i < session.length(); ++i) {
    const std::vector<std::uint8_t> bytes = test::stored(session, i);
    const auto expectUnchanged = [&] {
      EXPECT_EQ(i, copy.length());
      EXPECT_EQ(i, copy.storage()->interactions.size());
      EXPECT_EQ(0u, i == 0 ? 0 : copy.state(i - 1).children);
      const auto match = copy.findParent(test::digestsOf(std::vector<std::string>{"u", "v"}));
      ASSERT_EQ(i > 0, match.has_value());
      if (match) {
        EXPECT_EQ(i - 1, match->index);
      }
    };
    EXPECT_GT(failEveryAllocation([&] { copy.restore(bytes); }, expectUnchanged), 0);
    EXPECT_EQ(bytes, test::stored(copy, i));
  }
}

TEST(AllocationFailure, AnAppendIsAllOrNothing) {
  const std::vector<std::int32_t> ids{1, 2, 3};
  const std::vector<float> logprobs{-1, -2, -3};
  const std::vector<VersionRun> restated{{0, 7}, {1, 8}};
  Generation more = test::generationOf({8, 9}, 4);
  more.appendTop(ids, logprobs, 3);
  Generation generation;
  for (std::uint32_t round = 0; round < 20; ++round) {
    const auto expectAllOrNothing = [&](auto append) {
      const std::uint32_t length = generation.length();
      const std::vector<VersionRun> runs(generation.versionRuns().begin(), generation.versionRuns().end());
      const std::size_t places = generation.top().ids().size();
      failEveryAllocation(append, [&] {
        EXPECT_EQ(length, generation.length());
        EXPECT_EQ(length, generation.logprobs().size());
        EXPECT_EQ(runs, std::vector<VersionRun>(generation.versionRuns().begin(), generation.versionRuns().end()));
        EXPECT_EQ(places, generation.top().ids().size());
        EXPECT_EQ(places, generation.top().logprobs().size());
      });
    };
    expectAllOrNothing([&] { generation.append(ids, logprobs, static_cast<std::int32_t>(round)); });
    expectAllOrNothing([&] { generation.append(more); });
    expectAllOrNothing([&] { generation.append(Generation(more), generation.length(), restated); });
    EXPECT_EQ(std::size_t{3} * generation.length(), generation.top().ids().size());
    EXPECT_EQ(generation.top().ids().size(), generation.top().logprobs().size());
  }
}

TEST(AllocationFailure, ReadingAndPackingFailCleanly) {
  const std::string body =
      R"({"meta_info":{"id":"an id that is longer than a small string","output_token_logprobs":[[-1,2,null],[-2,3,null]],)"
      R"("output_top_logprobs":[[[-1,2,null]],null],"weight_versions":[{"version":1,"start":0,"end":2}]}})";
  const auto nothing = [] {};
  EXPECT_GT(failEveryAllocation([&] { readSglangReply(test::bytesOf(body), 0); }, nothing), 0);
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {"u"}, {"a"});
  test::record(session, test::promptAfter(session, 0, {1}), test::generationOf({2}), {"u", "a", "v"}, {"b"});
  session.setSessionReward(1);
  const PlannedSession planned{&session, {1}};
  const auto columns = test::everyColumn();
  const std::vector<std::string> parts{"[", "]"};
  for (const Layout layout : {Layout::kPadded, Layout::kPacked, Layout::kTree}) {
    const PlanOptions options{.layout = layout,
                              .style = RowStyle::kConcat,
                              .concatReward = ConcatReward::kReturn,
                              .turns = layout != Layout::kTree,
                              .columns = columns};
    const auto pack = [&] {
      const Plan plan(std::span<const PlannedSession>(&planned, 1), options);
      test::packed(plan, {{"rows", "[]"}});
      plan.shards(1);
      if (layout != Layout::kTree) test::packedJson(plan, parts);
    };
    EXPECT_GT(failEveryAllocation(pack, nothing), 0);
  }
}

TEST(AllocationFailure, ASharedPoolLosesNoRoomAndNoFile) {
  const test::SharedDirectory directory;
  std::shared_ptr<SharedPool> pool;
  const auto open = [&] { pool = SharedPool::open({.directory = directory.path(), .maxBytes = 4096}); };
  EXPECT_GT(failEveryAllocation(open, [&] { EXPECT_TRUE(directory.files().empty()); }), 0);
  const auto use = [&] {
    const std::unique_ptr<Block> block = pool->allocate(100);
    block->publish();
    block->acknowledge();
  };
  const auto expectNothingLent = [&] {
    EXPECT_EQ(0u, pool->use().lentSlots);
    EXPECT_LE(pool->use().bytes, 4096u);
    EXPECT_EQ(1 + pool->use().freeSlots, directory.files().size());
  };
  EXPECT_GT(failEveryAllocation(use, expectNothingLent), 0);
  expectNothingLent();
}

TEST(AllocationFailure, AWarmPoolGoesOn) {
  const auto pool =
      WarmPool::create(std::make_shared<HeapSource>(), {.idleTime = std::chrono::hours(1), .smallest = 1});
  EXPECT_GT(failEveryAllocation([&] { pool->allocate(100).reset(); }, [&] { EXPECT_LE(pool->idleBytes(), 100u); }), 0);
  pool->allocate(100).reset();
  EXPECT_EQ(100u, pool->idleBytes());
}

}  // namespace
}  // namespace rolltape
