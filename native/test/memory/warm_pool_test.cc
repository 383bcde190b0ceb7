#include "../../memory/warm_pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "../../memory/heap_block.h"
#include "../support.h"

namespace rolltape {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// Counts the blocks it made; those that exist are in `alive`.
class CountingSource final : public BlockSource {
 public:
  std::unique_ptr<Block> allocate(std::uint64_t bytes) override {
    ++made;
    return std::make_unique<Counted>(*this, bytes);
  }
  std::atomic<int> made = 0;
  std::atomic<int> alive = 0;

 private:
  class Counted final : public Block {
   public:
    Counted(CountingSource& source, std::uint64_t bytes) : source_(source), memory_(bytes) { ++source_.alive; }
    ~Counted() override { --source_.alive; }
    std::uint8_t* data() const override { return memory_.data(); }
    std::size_t size() const override { return memory_.size(); }
    BlockKind kind() const override { return memory_.kind(); }

   private:
    CountingSource& source_;
    HeapBlock memory_;
  };
};

constexpr WarmLimits kLimits{.idleBytes = 1000, .idleTime = hours(1), .smallest = 10};

TEST(WarmPool, ABlockIsUsedAgain) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, kLimits);
  std::unique_ptr<Block> block = pool->allocate(100);
  const std::uint8_t* data = block->data();
  block.reset();
  EXPECT_EQ(100u, pool->idleBytes());
  block = pool->allocate(60);
  EXPECT_EQ(data, block->data());
  EXPECT_EQ(60u, block->size());
  EXPECT_EQ(0u, pool->idleBytes());
  block.reset();
  EXPECT_EQ(100u, pool->idleBytes()) << "the whole block is kept, not the part that was asked for";
}

TEST(WarmPool, ABlockInUseIsNotGivenTwice) {
  const auto pool = WarmPool::create(std::make_shared<HeapSource>(), kLimits);
  const std::unique_ptr<Block> one = pool->allocate(100);
  const std::unique_ptr<Block> two = pool->allocate(100);
  EXPECT_NE(one->data(), two->data());
}

TEST(WarmPool, OneTooSmallOrMuchTooLargeIsLeftAlone) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, kLimits);
  pool->allocate(100).reset();
  EXPECT_EQ(101u, pool->allocate(101)->size());
  pool->allocate(40).reset();
  EXPECT_EQ(3, source->made);
}

TEST(WarmPool, TheSmallestThatFitsIsChosen) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, kLimits);
  std::vector<std::unique_ptr<Block>> blocks;
  for (const std::uint64_t bytes : {150, 110, 130, 90}) blocks.push_back(pool->allocate(bytes));
  const std::uint8_t* fits = blocks[1]->data();
  blocks.clear();
  EXPECT_EQ(fits, pool->allocate(100)->data());
}

TEST(WarmPool, WhatIsOverTheLimitGoesLongestUnusedFirst) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, kLimits);
  std::vector<std::unique_ptr<Block>> blocks;
  for (const std::uint64_t bytes : {600, 300, 250}) blocks.push_back(pool->allocate(bytes));
  for (std::unique_ptr<Block>& block : blocks) block.reset();
  EXPECT_EQ(550u, pool->idleBytes());
  while (source->alive > 2) std::this_thread::yield();
  pool->allocate(1001).reset();
  EXPECT_EQ(550u, pool->idleBytes()) << "a block over the whole limit pushes nothing out";
  pool->allocate(1000).reset();
  EXPECT_EQ(1000u, pool->idleBytes()) << "a block of the whole limit pushes out all others";
}

TEST(WarmPool, SmallBlocksAreNotKept) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, kLimits);
  pool->allocate(9).reset();
  pool->allocate(0).reset();
  EXPECT_EQ(0, source->alive);
}

TEST(WarmPool, TrimFreesWhatWasUnusedLongEnough) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, kLimits);
  pool->allocate(100).reset();
  const auto now = WarmPool::Clock::now();
  pool->trim(now);
  EXPECT_EQ(100u, pool->idleBytes());
  pool->trim(now + hours(1));
  EXPECT_EQ(0u, pool->idleBytes());
  EXPECT_EQ(0, source->alive);
}

TEST(WarmPool, UnusedBlocksGoByThemselves) {
  const auto source = std::make_shared<CountingSource>();
  const auto pool = WarmPool::create(source, {.idleBytes = 1000, .idleTime = milliseconds(1), .smallest = 10});
  for (int round = 0; round < 3; ++round) {
    pool->allocate(100).reset();
    while (source->alive > 0) std::this_thread::yield();
  }
  EXPECT_EQ(0u, pool->idleBytes());
}

TEST(WarmPool, ABlockMayOutliveItsPool) {
  const auto source = std::make_shared<CountingSource>();
  auto pool = WarmPool::create(source, kLimits);
  pool->allocate(50).reset();
  std::unique_ptr<Block> block = pool->allocate(100);
  pool.reset();
  std::memset(block->data(), 1, block->size());
  block.reset();
  EXPECT_EQ(0, source->alive);
}

TEST(WarmPool, TooLargeIsAnErrorAndNotKept) {
  const auto pool = WarmPool::create(std::make_shared<HeapSource>());
  EXPECT_CODE(kTooLarge, pool->allocate(std::uint64_t{1} << 32));
  EXPECT_EQ(0u, pool->idleBytes());
}

TEST(WarmPool, ThreadsNeverShareABlock) {
  const auto pool =
      WarmPool::create(std::make_shared<HeapSource>(), {.idleBytes = 400, .idleTime = milliseconds(1), .smallest = 10});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&pool, thread] {
      test::Random random(static_cast<unsigned>(thread));
      for (int round = 0; round < 500; ++round) {
        const std::unique_ptr<Block> block = pool->allocate(50 + random.below(200));
        std::memset(block->data(), thread, block->size());
        std::this_thread::yield();
        std::uint8_t* end = block->data() + block->size();
        ASSERT_TRUE(std::all_of(block->data(), end, [&](std::uint8_t byte) { return byte == thread; }));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace rolltape
