#pragma once

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "../../memory/cuda_driver.h"
#include "../support.h"

namespace rolltape::test {

/// What a driver did and has; outlives the driver.
struct DriverLog {
  DriverLog() = default;
  ~DriverLog() {
    for (void* data : allocated) std::free(data);
  }
  DriverLog(const DriverLog&) = delete;
  DriverLog& operator=(const DriverLog&) = delete;

  std::mutex mutex;
  /// Calls that fail, by the function's name.
  std::map<std::string, CudaResult> failures;
  int devices = 1;
  int retained = 0;
  std::set<void*> allocated;
  std::map<void*, std::size_t> registered;
  int registrations = 0;
  /// What the driver refused to free or to unregister.
  std::set<void*> lost;
  /// Threads on which the context is current.
  std::map<std::thread::id, int> current;
};

/// A driver without a device behind it, that fails where it is told to. It checks what CUDA demands of its callers:
/// that a context is current, and that what is freed or unregistered was had before.
class FakeCudaDriver final : public CudaDriver {
 public:
  explicit FakeCudaDriver(DriverLog& log) : log_(log) {}
  ~FakeCudaDriver() override { EXPECT_EQ(log_.failures.contains("releaseContext") ? 1 : 0, log_.retained); }

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
    EXPECT_EQ(log_.lost.size(), log_.allocated.size() + log_.registered.size());
    if (!log_.failures.contains("popContext")) {
      for (const auto& [thread, contexts] : log_.current) EXPECT_EQ(0, contexts) << "the context was not left";
    }
    const CudaResult result = outcome("releaseContext");
    if (result == CudaResult::kSuccess) --log_.retained;
    return result;
  }
  CudaResult pushContext(Context context) override {
    EXPECT_EQ(&log_, context);
    const CudaResult result = outcome("pushContext");
    const std::lock_guard lock(log_.mutex);
    if (result == CudaResult::kSuccess) ++log_.current[std::this_thread::get_id()];
    return result;
  }
  CudaResult popContext() override {
    const CudaResult result = outcome("popContext");
    const std::lock_guard lock(log_.mutex);
    int& current = log_.current[std::this_thread::get_id()];
    EXPECT_GT(current, 0);
    if (result == CudaResult::kSuccess) --current;
    return result;
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
    const CudaResult result = outcome("free");
    const std::lock_guard lock(log_.mutex);
    if (result != CudaResult::kSuccess) return refuse(data, log_.allocated.contains(data), result);
    EXPECT_EQ(1u, log_.allocated.erase(data));
    std::free(data);
    return result;
  }
  CudaResult registerPages(void* data, std::size_t bytes) override {
    expectCurrent();
    EXPECT_EQ(0u, bytes % 4096);
    const CudaResult result = outcome("registerPages");
    if (result != CudaResult::kSuccess) return result;
    const std::lock_guard lock(log_.mutex);
    EXPECT_TRUE(log_.registered.emplace(data, bytes).second);
    ++log_.registrations;
    return result;
  }
  CudaResult unregisterPages(void* data) override {
    expectCurrent();
    const CudaResult result = outcome("unregisterPages");
    const std::lock_guard lock(log_.mutex);
    if (result != CudaResult::kSuccess) return refuse(data, log_.registered.contains(data), result);
    EXPECT_EQ(1u, log_.registered.erase(data));
    return result;
  }
  std::string errorName(CudaResult result) override { return "CUDA_ERROR_" + std::to_string(static_cast<int>(result)); }

 private:
  CudaResult outcome(const std::string& call) {
    const auto at = log_.failures.find(call);
    return at == log_.failures.end() ? CudaResult::kSuccess : at->second;
  }
  void expectCurrent() {
    const std::lock_guard lock(log_.mutex);
    EXPECT_GT(log_.current[std::this_thread::get_id()], 0) << "no context is current on this thread";
  }
  CudaResult refuse(void* data, bool isHeld, CudaResult result) {
    EXPECT_TRUE(isHeld);
    log_.lost.insert(data);
    return result;
  }

  DriverLog& log_;
};

}  // namespace rolltape::test
