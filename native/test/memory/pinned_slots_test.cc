#include "../../memory/cuda_host_memory.h"
#include "../../memory/shared_pool.h"
#include "pinned_driver.h"
#include "shared_support.h"

namespace rolltape {
namespace {

using test::DriverLog;
using test::FakeCudaDriver;

constexpr auto kFailure = static_cast<CudaResult>(3);

class PinnedSlots : public testing::Test {
 protected:
  std::shared_ptr<SharedPool> open() {
    auto memory = CudaHostMemory::create([this] { return std::make_unique<FakeCudaDriver>(log_); });
    return SharedPool::open({.directory = directory_.path(), .maxBytes = 1 << 20, .lock = std::move(memory)});
  }

  test::SharedDirectory directory_;
  DriverLog log_;
};

TEST_F(PinnedSlots, AreLockedWholeAndOncePerSize) {
  auto pool = open();
  for (const std::uint64_t bytes : {5000, 5001, 9000, 5000}) {
    const auto block = pool->allocate(bytes);
    ASSERT_EQ(1u, log_.registered.size());
    EXPECT_EQ(block->data(), log_.registered.begin()->first);
    EXPECT_EQ(SharedSlot::footprintOf(bytes), log_.registered.begin()->second);
  }
  EXPECT_EQ(3, log_.registrations) << "the second one takes as many pages as the first";
  pool.reset();
  EXPECT_TRUE(log_.registered.empty());
}

TEST_F(PinnedSlots, ThatSomebodyElseLockedAreNotOursToUnlock) {
  const auto pool = open();
  log_.failures["registerPages"] = CudaResult::kAlreadyRegistered;
  pool->allocate(100).reset();
  EXPECT_EQ(1u, pool->use().freeSlots);
  pool->close();
}

/// The pages at `data` are still mapped; unmaps them.
bool isMapped(void* data, std::size_t bytes) {
  const bool mapped = msync(data, bytes, MS_ASYNC) == 0;
  munmap(data, bytes);
  return mapped;
}

TEST_F(PinnedSlots, ThatCannotBeUnlockedStayMappedAndAreGone) {
  auto pool = open();
  pool->allocate(5000)->acknowledge();
  ASSERT_EQ(1u, pool->use().freeSlots);
  log_.failures["unregisterPages"] = kFailure;
  EXPECT_CODE(kPinnedUnavailable, pool->allocate(50'000)) << "a slot of another size is locked anew";
  EXPECT_EQ(0u, pool->use().bytes);
  EXPECT_TRUE(directory_.files(".slot").empty());
  EXPECT_EQ(1u, pool->allocate(1)->size());
  pool.reset();
  log_.failures.clear();
  ASSERT_EQ(2u, log_.lost.size());
  for (const auto& [data, bytes] : log_.registered) {
    EXPECT_TRUE(log_.lost.contains(data));
    EXPECT_TRUE(isMapped(data, bytes)) << "what is mapped there next would pass for locked";
  }
}

TEST_F(PinnedSlots, WhoseContextCannotBeEnteredAnyMoreStayMapped) {
  auto pool = open();
  auto block = pool->allocate(9000);
  pool->allocate(5000)->acknowledge();
  log_.failures["pushContext"] = kFailure;
  for (const auto& [data, bytes] : log_.registered) log_.lost.insert(data);
  EXPECT_EQ(2u, log_.lost.size());
  block.reset();
  pool.reset();
  for (const auto& [data, bytes] : log_.registered) EXPECT_TRUE(isMapped(data, bytes));
  EXPECT_TRUE(directory_.files(".slot").empty());
}

TEST_F(PinnedSlots, WhoseContextCannotBeLeftStopNothing) {
  auto pool = open();
  log_.failures["popContext"] = kFailure;
  for (const std::uint64_t bytes : {100, 50'000, 100}) pool->allocate(bytes)->acknowledge();
  pool.reset();
  EXPECT_TRUE(log_.registered.empty());
}

TEST_F(PinnedSlots, ThatAreNotUsedAgainAreUnlockedOnAThreadOfThePool) {
  for (const bool isAcknowledged : {false, true}) {
    log_.current.clear();
    auto pool = open();
    auto block = pool->allocate(100);
    block->publish();
    if (isAcknowledged) block->acknowledge();
    block.reset();
    pool->close();
    pool.reset();
    EXPECT_TRUE(log_.registered.empty());
    EXPECT_EQ(2u, log_.current.size()) << "this thread locked the slot, and the pool's unlocked it";
  }
}

TEST_F(PinnedSlots, OfAFullDeviceAreAnErrorThatPasses) {
  const auto pool = open();
  log_.failures["retainContext"] = CudaResult::kOutOfMemory;
  EXPECT_CODE(kOutOfMemory, pool->allocate(100));
  log_.failures.clear();
  EXPECT_EQ(100u, pool->allocate(100)->size());
}

TEST_F(PinnedSlots, ThatCannotBeLockedAreAnErrorAndGone) {
  const auto pool = open();
  log_.failures["registerPages"] = CudaResult::kOutOfMemory;
  EXPECT_CODE(kOutOfMemory, pool->allocate(100));
  log_.failures["registerPages"] = kFailure;
  EXPECT_CODE(kPinnedUnavailable, pool->allocate(100));
  EXPECT_EQ(0u, pool->use().bytes);
  EXPECT_TRUE(directory_.files(".slot").empty());
}

}  // namespace
}  // namespace rolltape
