#include "cuda_host_memory.h"

#include <algorithm>

#include "../core/size.h"

namespace rolltape {

/// The context is current on this thread while this lives.
class CudaHostMemory::Current {
 public:
  explicit Current(CudaHostMemory& memory) : driver_(*memory.driver_) {
    memory.require(driver_.pushContext(memory.context_), "cuCtxPushCurrent");
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
    memory_->require(memory_->driver_->allocate(data_, std::max<std::uint64_t>(bytes, 1)), "cuMemHostAlloc");
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
  std::call_once(started_, [this] {
    try {
      start();
    } catch (const Error& error) {
      driver_.reset();
      reason_ = error.what();
    }
  });
  return reason_;
}

void CudaHostMemory::start() {
  driver_ = open_();
  require(driver_->init(), "cuInit");
  int devices = 0;
  require(driver_->deviceCount(devices), "cuDeviceGetCount");
  if (devices == 0) throw Error(ErrorCode::kPinnedUnavailable, "the CUDA driver sees no device");
  require(driver_->device(device_, 0), "cuDeviceGet");
  require(driver_->retainContext(context_, device_), "cuDevicePrimaryCtxRetain");
}

void CudaHostMemory::require(CudaResult result, const char* what) {
  if (result == CudaResult::kSuccess) return;
  const ErrorCode code = result == CudaResult::kOutOfMemory ? ErrorCode::kOutOfMemory : ErrorCode::kPinnedUnavailable;
  throw Error(code, std::string(what) + ": " + driver_->errorName(result));
}

void CudaHostMemory::requireDriver() {
  const std::optional<std::string> reason = unavailableReason();
  if (reason) throw Error(ErrorCode::kPinnedUnavailable, "there is no page-locked memory here: " + *reason);
}

std::unique_ptr<Block> CudaHostMemory::allocate(std::uint64_t bytes) {
  requireBlockSize(bytes);
  requireDriver();
  return std::make_unique<Pinned>(shared_from_this(), bytes);
}

// A process that ends may have lost its driver before its last block: what cannot be freed any more is the system's to
// free, so these ignore what the driver answers.
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
  require(result, "cuMemHostRegister");
  return true;
}

void CudaHostMemory::unlock(void* data) noexcept {
  if (driver_->pushContext(context_) != CudaResult::kSuccess) return;
  driver_->unregisterPages(data);
  driver_->popContext();
}

}  // namespace rolltape
