#pragma once

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "../memory/cuda_driver.h"
#include "support.h"

namespace rolltape::test {

/// What a driver did and has; outlives the driver.
struct DriverLog {
  std::mutex mutex;
  /// Calls that fail, by the function's name.
  std::map<std::string, CudaResult> failures;
  int devices = 1;
  int retained = 0;
  std::set<void*> allocated;
  std::map<void*, std::size_t> registered;
  /// Threads on which the context is current.
  std::map<std::thread::id, int> current;
};

/// A driver without a device behind it, that fails where it is told to. It checks what CUDA demands of its callers:
/// that a context is current, and that what is freed or unregistered was had before.
class FakeCudaDriver final : public CudaDriver {
 public:
  explicit FakeCudaDriver(DriverLog& log) : log_(log) {}
  ~FakeCudaDriver() override { EXPECT_EQ(0, log_.retained); }

  CudaResult init() override { return outcome("init"); }
  CudaResult deviceCount(int& count) override {
    count = log_.devices;
    return outcome("deviceCount");
  }
  CudaResult device(Device& device, int ordinal) override {
    device = 40 + ordinal;
    return outcome("device");
  }
  CudaResult retainContext(Context& context, Device device) override {
    EXPECT_EQ(40, device);
    const CudaResult result = outcome("retainContext");
    if (result == CudaResult::kSuccess) ++log_.retained;
    context = &log_;
    return result;
  }
  CudaResult releaseContext(Device device) override {
    EXPECT_EQ(40, device);
    EXPECT_TRUE(log_.allocated.empty());
    EXPECT_TRUE(log_.registered.empty());
    --log_.retained;
    return outcome("releaseContext");
  }
  CudaResult pushContext(Context context) override {
    EXPECT_EQ(&log_, context);
    const CudaResult result = outcome("pushContext");
    const std::lock_guard lock(log_.mutex);
    if (result == CudaResult::kSuccess) ++log_.current[std::this_thread::get_id()];
    return result;
  }
  CudaResult popContext() override {
    const std::lock_guard lock(log_.mutex);
    EXPECT_EQ(0, --log_.current[std::this_thread::get_id()]);
    return CudaResult::kSuccess;
  }
  CudaResult allocate(void*& data, std::size_t bytes) override {
    expectCurrent();
    EXPECT_GT(bytes, 0u);
    const CudaResult result = outcome("allocate");
    if (result != CudaResult::kSuccess) return result;
    data = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    const std::lock_guard lock(log_.mutex);
    log_.allocated.insert(data);
    return result;
  }
  CudaResult free(void* data) override {
    expectCurrent();
    const std::lock_guard lock(log_.mutex);
    EXPECT_EQ(1u, log_.allocated.erase(data));
    std::free(data);
    return CudaResult::kSuccess;
  }
  CudaResult registerPages(void* data, std::size_t bytes) override {
    expectCurrent();
    EXPECT_EQ(0u, bytes % 4096);
    const CudaResult result = outcome("registerPages");
    if (result != CudaResult::kSuccess) return result;
    const std::lock_guard lock(log_.mutex);
    EXPECT_TRUE(log_.registered.emplace(data, bytes).second);
    return result;
  }
  CudaResult unregisterPages(void* data) override {
    expectCurrent();
    const std::lock_guard lock(log_.mutex);
    EXPECT_EQ(1u, log_.registered.erase(data));
    return CudaResult::kSuccess;
  }
  std::string errorName(CudaResult result) override { return "CUDA_ERROR_" + std::to_string(static_cast<int>(result)); }

 private:
  CudaResult outcome(const std::string& call) {
    const auto at = log_.failures.find(call);
    return at == log_.failures.end() ? CudaResult::kSuccess : at->second;
  }
  void expectCurrent() {
    const std::lock_guard lock(log_.mutex);
    EXPECT_EQ(1, log_.current[std::this_thread::get_id()]) << "no context is current on this thread";
  }

  DriverLog& log_;
};

}  // namespace rolltape::test
