#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "../core/base/error.h"
#include "block.h"
#include "cuda_driver.h"
#include "page_lock.h"

namespace rolltape {

/// Page-locked host memory, made in the primary context of the first device and usable from the contexts of all.
///
/// The driver is opened at the first use, which may take seconds; whether that went well does not change afterwards,
/// except that a device without memory for a context is asked again at the next use. Every call to the driver is made
/// with the context current on its thread, so that memory may be had on one thread and freed on another; a block keeps
/// the context retained until it is freed.
class CudaHostMemory final : public BlockSource, public PageLock, public std::enable_shared_from_this<CudaHostMemory> {
 public:
  using OpenDriver = std::function<std::unique_ptr<CudaDriver>()>;

  /// `open` throws Error kPinnedUnavailable where there is no driver.
  static std::shared_ptr<CudaHostMemory> create(OpenDriver open);
  ~CudaHostMemory() override;

  /// Why there is no page-locked memory here (at present, where the device is full), or nothing where there is.
  std::optional<std::string> unavailableReason();
  /// @throws Error kPinnedUnavailable with the reason; kTooLarge; kOutOfMemory.
  std::unique_ptr<Block> allocate(std::uint64_t bytes) override;
  bool lock(void* data, std::size_t bytes) override;
  bool unlock(void* data) noexcept override;

 private:
  class Pinned;
  class Current;

  explicit CudaHostMemory(OpenDriver open) : open_(std::move(open)) {}
  void requireDriver();
  /// Why there is no driver, if there is none.
  std::optional<Error> ensureStarted();
  void start();
  void freePinned(void* data) noexcept;

  const OpenDriver open_;
  std::mutex starting_;
  /// Set by start() when all went well, and never again: with a context of the device, which it releases.
  std::unique_ptr<CudaDriver> driver_;
  CudaDriver::Device device_ = 0;
  CudaDriver::Context context_ = nullptr;
  /// Why it will never go well.
  std::optional<Error> failure_;
};

}  // namespace rolltape
