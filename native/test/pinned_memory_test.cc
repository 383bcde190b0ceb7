#include <cstring>

#include "../memory/cuda_host_memory.h"
#include "../memory/cuda_library.h"
#include "../memory/shared_pool.h"
#include "../memory/warm_pool.h"
#include "pinned_driver.h"
#include "shared_support.h"

namespace rolltape {
namespace {

using test::DriverLog;
using test::FakeCudaDriver;
using test::thrownBy;

constexpr auto kFailure = static_cast<CudaResult>(3);

std::shared_ptr<CudaHostMemory> memoryOf(DriverLog& log) {
  return CudaHostMemory::create([&log] { return std::make_unique<FakeCudaDriver>(log); });
}

void expectUnavailable(CudaHostMemory& memory, const std::string& reason) {
  ASSERT_TRUE(memory.unavailableReason());
  EXPECT_NE(std::string::npos, memory.unavailableReason()->find(reason)) << *memory.unavailableReason();
  const Error error = thrownBy([&] { memory.allocate(1); });
  EXPECT_EQ(ErrorCode::kPinnedUnavailable, error.code());
  EXPECT_NE(std::string::npos, std::string(error.what()).find(reason));
  EXPECT_CODE(kPinnedUnavailable, memory.lock(nullptr, 4096));
}

TEST(CudaHostMemory, SaysThatThereIsNoLibrary) {
  const auto memory = CudaHostMemory::create([] { return openCudaLibrary("libno-such-cuda.so.1"); });
  expectUnavailable(*memory, "libno-such-cuda.so.1");
}

TEST(CudaHostMemory, SaysWhichFunctionALibraryLacks) {
  const auto memory = CudaHostMemory::create([] { return openCudaLibrary("libc.so.6"); });
  expectUnavailable(*memory, "cuInit");
}

TEST(CudaHostMemory, SaysWhichCallOfTheDriverFailedAndHow) {
  for (const std::string call : {"init", "deviceCount", "device", "retainContext"}) {
    DriverLog log;
    log.failures[call] = kFailure;
    expectUnavailable(*memoryOf(log), "CUDA_ERROR_3");
    EXPECT_EQ(0, log.retained);
  }
}

TEST(CudaHostMemory, SaysThatThereIsNoDevice) {
  DriverLog log;
  log.devices = 0;
  expectUnavailable(*memoryOf(log), "no device");
}

TEST(CudaHostMemory, OpensTheDriverOnceAndAtItsFirstUse) {
  DriverLog log;
  int opened = 0;
  const auto memory = CudaHostMemory::create([&] {
    ++opened;
    return std::make_unique<FakeCudaDriver>(log);
  });
  EXPECT_EQ(0, opened);
  EXPECT_FALSE(memory->unavailableReason());
  memory->allocate(1);
  EXPECT_EQ(1, opened);
  EXPECT_EQ(1, log.retained);
}

TEST(CudaHostMemory, AContextThatCannotBeEnteredIsAnError) {
  DriverLog log;
  const auto memory = memoryOf(log);
  log.failures["pushContext"] = kFailure;
  EXPECT_FALSE(memory->unavailableReason());
  EXPECT_CODE(kPinnedUnavailable, memory->allocate(1));
  EXPECT_CODE(kPinnedUnavailable, memory->lock(nullptr, 4096));
}

TEST(CudaHostMemory, RunningOutOfMemoryIsAnErrorThatPasses) {
  DriverLog log;
  const auto memory = memoryOf(log);
  log.failures["allocate"] = CudaResult::kOutOfMemory;
  EXPECT_CODE(kOutOfMemory, memory->allocate(100));
  EXPECT_CODE(kTooLarge, memory->allocate(std::uint64_t{1} << 32));
  log.failures.clear();
  const auto block = memory->allocate(100);
  std::memset(block->data(), 1, block->size());
  EXPECT_EQ(BlockKind::kPinned, block->kind());
  EXPECT_EQ(0u, memory->allocate(0)->size());
}

TEST(CudaHostMemory, IsFreedOnceOnAnyThreadBeforeItsContext) {
  DriverLog log;
  auto memory = memoryOf(log);
  auto block = memory->allocate(100);
  memory.reset();
  EXPECT_EQ(1, log.retained) << "a block keeps the context";
  std::thread([&] { block.reset(); }).join();
  EXPECT_TRUE(log.allocated.empty());
  EXPECT_EQ(0, log.retained);
}

TEST(CudaHostMemory, ADriverThatHasGoneBeforeTheLastBlockIsNoError) {
  DriverLog log;
  const auto memory = memoryOf(log);
  auto block = memory->allocate(100);
  log.failures["pushContext"] = kFailure;
  block.reset();
  EXPECT_EQ(1u, log.allocated.size());
  for (void* data : log.allocated) std::free(data);
  log.allocated.clear();
}

TEST(CudaHostMemory, IsKeptWarm) {
  DriverLog log;
  const auto pool = WarmPool::create(memoryOf(log), {.smallest = 1});
  const auto* data = pool->allocate(100)->data();
  const auto again = pool->allocate(90);
  EXPECT_EQ(data, again->data());
  EXPECT_EQ(BlockKind::kPinned, again->kind());
}

class PinnedSlots : public testing::Test {
 protected:
  std::shared_ptr<SharedPool> open() {
    return SharedPool::open({.directory = directory_.path(), .maxBytes = 1 << 20, .lock = memoryOf(log_)});
  }

  test::SharedDirectory directory_;
  DriverLog log_;
};

TEST_F(PinnedSlots, AreLockedWholeAndOncePerSize) {
  auto pool = open();
  for (const std::uint64_t bytes : {5000, 5001, 9000, 100, 5000}) {
    const auto block = pool->allocate(bytes);
    ASSERT_EQ(1u, log_.registered.size());
    EXPECT_EQ(block->data(), log_.registered.begin()->first);
    EXPECT_EQ(SharedSlot::footprintOf(bytes), log_.registered.begin()->second);
  }
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
