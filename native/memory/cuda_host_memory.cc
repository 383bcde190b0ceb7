#include "cuda_host_memory.h"

#include <algorithm>

#include "../core/base/size.h"

namespace rolltape {

namespace {

void require(CudaDriver& driver, CudaResult result, const char* what) {
  if (result == CudaResult::kSuccess) return;
  const ErrorCode code = result == CudaResult::kOutOfMemory ? ErrorCode::kOutOfMemory : ErrorCode::kPinnedUnavailable;
  throw Error(code, std::string(what) + ": " + driver.errorName(result));
}

}  // namespace

/// The context is current on this thread while this lives.
class CudaHostMemory::Current {
 public:
  explicit Current(CudaHostMemory& memory) : driver_(*memory.driver_) {
    require(driver_, driver_.pushContext(memory.context_), "cuCtxPushCurrent");
  }
  ~Current() { driver_.popContext(); }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  CudaDriver& driver_;
};

class CudaHostMemory::Pinned final : public Block {
 public:
  Pinned(std::shared_ptr<CudaHostMemory> memory, std::uint64_t bytes) : memory_(std::move(memory)), size_(bytes) {
    const Current current(*memory_);
    // The driver refuses to allocate nothing.
    CudaDriver& driver = *memory_->driver_;
    require(driver, driver.allocate(data_, std::max<std::uint64_t>(bytes, 1)), "cuMemHostAlloc");
  }
  ~Pinned() override { memory_->freePinned(data_); }

  std::uint8_t* data() const override { return static_cast<std::uint8_t*>(data_); }
  std::size_t size() const override { return size_; }
  BlockKind kind() const override { return BlockKind::kPinned; }

 private:
  std::shared_ptr<CudaHostMemory> memory_;
  void* data_ = nullptr;
  std::size_t size_;
};

std::shared_ptr<CudaHostMemory> CudaHostMemory::create(OpenDriver open) {
  return std::shared_ptr<CudaHostMemory>(new CudaHostMemory(std::move(open)));
}

CudaHostMemory::~CudaHostMemory() {
  if (driver_) driver_->releaseContext(device_);
}

std::optional<std::string> CudaHostMemory::unavailableReason() {
  if (const std::optional<Error> failure = ensureStarted()) return failure->what();
  return std::nullopt;
}

void CudaHostMemory::requireDriver() {
  const std::optional<Error> failure = ensureStarted();
  if (failure) throw Error(failure->code(), std::string("there is no page-locked memory here: ") + failure->what());
}

std::optional<Error> CudaHostMemory::ensureStarted() {
  const std::lock_guard lock(starting_);
  if (driver_ || failure_) return failure_;
  try {
    start();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kOutOfMemory) return error;
    failure_ = error;
  }
  return failure_;
}

void CudaHostMemory::start() {
  std::unique_ptr<CudaDriver> driver = open_();
  require(*driver, driver->init(), "cuInit");
  int devices = 0;
  require(*driver, driver->deviceCount(devices), "cuDeviceGetCount");
  if (devices < 1) throw Error(ErrorCode::kPinnedUnavailable, "the CUDA driver sees no device");
  require(*driver, driver->device(device_, 0), "cuDeviceGet");
  require(*driver, driver->retainContext(context_, device_), "cuDevicePrimaryCtxRetain");
  driver_ = std::move(driver);
}

std::unique_ptr<Block> CudaHostMemory::allocate(std::uint64_t bytes) {
  requireBlockSize(bytes);
  requireDriver();
  return std::make_unique<Pinned>(shared_from_this(), bytes);
}

// A process that ends may have lost its driver before its last block, and a device that failed takes no more calls:
// what cannot be freed is lost until the process ends, which frees it.
void CudaHostMemory::freePinned(void* data) noexcept {
  if (driver_->pushContext(context_) != CudaResult::kSuccess) return;
  driver_->free(data);
  driver_->popContext();
}

bool CudaHostMemory::lock(void* data, std::size_t bytes) {
  requireDriver();
  const Current current(*this);
  const CudaResult result = driver_->registerPages(data, bytes);
  if (result == CudaResult::kAlreadyRegistered) return false;
  require(*driver_, result, "cuMemHostRegister");
  return true;
}

bool CudaHostMemory::unlock(void* data) noexcept {
  if (driver_->pushContext(context_) != CudaResult::kSuccess) return false;
  const CudaResult result = driver_->unregisterPages(data);
  driver_->popContext();
  return result == CudaResult::kSuccess;
}

}  // namespace rolltape
