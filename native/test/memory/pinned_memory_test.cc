#include <cstring>
#include <new>

#include "../../memory/cuda_host_memory.h"
#include "../../memory/cuda_library.h"
#include "../../memory/warm_pool.h"
#include "pinned_driver.h"

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
  log.lost = log.allocated;
  EXPECT_EQ(1u, log.lost.size());
}

TEST(CudaHostMemory, AFullDeviceIsAskedAgainAtTheNextUse) {
  DriverLog log;
  const auto memory = memoryOf(log);
  log.failures["retainContext"] = CudaResult::kOutOfMemory;
  EXPECT_EQ("cuDevicePrimaryCtxRetain: CUDA_ERROR_2", memory->unavailableReason());
  EXPECT_CODE(kOutOfMemory, memory->allocate(1));
  EXPECT_CODE(kOutOfMemory, memory->lock(nullptr, 4096));
  log.failures.clear();
  EXPECT_FALSE(memory->unavailableReason());
  EXPECT_EQ(1u, memory->allocate(1)->size());
  EXPECT_EQ(1, log.retained);
}

TEST(CudaHostMemory, AnyOtherFailureToStartIsForGood) {
  DriverLog log;
  const auto memory = memoryOf(log);
  log.failures["init"] = kFailure;
  const auto reason = memory->unavailableReason();
  log.failures.clear();
  EXPECT_EQ(reason, memory->unavailableReason());
  EXPECT_CODE(kPinnedUnavailable, memory->allocate(1));
}

TEST(CudaHostMemory, HostMemoryThatThereIsNotToOpenTheDriverIsNotForGood) {
  DriverLog log;
  bool fails = true;
  const auto memory = CudaHostMemory::create([&]() -> std::unique_ptr<CudaDriver> {
    if (fails) throw std::bad_alloc();
    return std::make_unique<FakeCudaDriver>(log);
  });
  EXPECT_THROW(memory->allocate(1), std::bad_alloc);
  fails = false;
  EXPECT_EQ(1u, memory->allocate(1)->size());
}

TEST(CudaHostMemory, WhatCannotBeFreedIsLostOnceAndNothingElse) {
  DriverLog log;
  const auto memory = memoryOf(log);
  auto block = memory->allocate(100);
  log.failures["free"] = kFailure;
  block.reset();
  EXPECT_EQ(1u, log.lost.size());
  log.failures.clear();
  memory->allocate(100).reset();
  EXPECT_EQ(log.lost, log.allocated);
}

TEST(CudaHostMemory, IsNotKeptWarmWhereItCannotBeFreed) {
  DriverLog log;
  {
    const auto pool = WarmPool::create(memoryOf(log), {.smallest = 1});
    log.failures["free"] = kFailure;
    auto block = pool->allocate(100);
    auto* data = block->data();
    block.reset();
    EXPECT_EQ(data, pool->allocate(100)->data());
    EXPECT_TRUE(log.lost.empty()) << "kept, not freed";
  }
  EXPECT_EQ(1u, log.lost.size());
  EXPECT_EQ(0, log.retained);
}

TEST(CudaHostMemory, AContextThatCannotBeLeftStopsNothing) {
  DriverLog log;
  const auto memory = memoryOf(log);
  log.failures["popContext"] = kFailure;
  auto block = memory->allocate(100);
  block.reset();
  memory->allocate(100).reset();
  EXPECT_TRUE(log.allocated.empty());
}

TEST(CudaHostMemory, AContextThatCannotBeReleasedStopsNothing) {
  DriverLog log;
  log.failures["releaseContext"] = kFailure;
  auto memory = memoryOf(log);
  memory->allocate(100).reset();
  memory.reset();
  EXPECT_EQ(1, log.retained);
  EXPECT_TRUE(log.allocated.empty());
}

TEST(CudaHostMemory, IsKeptWarm) {
  DriverLog log;
  const auto pool = WarmPool::create(memoryOf(log), {.smallest = 1});
  const auto* data = pool->allocate(100)->data();
  const auto again = pool->allocate(90);
  EXPECT_EQ(data, again->data());
  EXPECT_EQ(BlockKind::kPinned, again->kind());
}

}  // namespace
}  // namespace rolltape
