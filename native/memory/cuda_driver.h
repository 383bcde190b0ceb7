#pragma once

#include <cstddef>
#include <string>

namespace rolltape {

/// CUresult of cuda.h, by the values that are told apart here.
enum class CudaResult : int {
  kSuccess = 0,
  kOutOfMemory = 2,
  kAlreadyRegistered = 712,
};

/// What is asked of NVIDIA's driver; each function is the one of cuda.h with that name. Thread-safe, as the driver is.
class CudaDriver {
 public:
  using Context = void*;
  using Device = int;

  CudaDriver() = default;
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  virtual ~CudaDriver() = default;

  /// cuInit
  virtual CudaResult init() = 0;
  /// cuDeviceGetCount
  virtual CudaResult deviceCount(int& count) = 0;
  /// cuDeviceGet
  virtual CudaResult device(Device& device, int ordinal) = 0;
  /// cuDevicePrimaryCtxRetain
  virtual CudaResult retainContext(Context& context, Device device) = 0;
  /// cuDevicePrimaryCtxRelease
  virtual CudaResult releaseContext(Device device) = 0;
  /// cuCtxPushCurrent
  virtual CudaResult pushContext(Context context) = 0;
  /// cuCtxPopCurrent
  virtual CudaResult popContext() = 0;
  /// cuMemHostAlloc, portable: pinned for every context.
  virtual CudaResult allocate(void*& data, std::size_t bytes) = 0;
  /// cuMemFreeHost
  virtual CudaResult free(void* data) = 0;
  /// cuMemHostRegister, portable. `data` and `bytes` are whole pages.
  virtual CudaResult registerPages(void* data, std::size_t bytes) = 0;
  /// cuMemHostUnregister
  virtual CudaResult unregisterPages(void* data) = 0;
  /// cuGetErrorName: `CUDA_ERROR_…`
  virtual std::string errorName(CudaResult result) = 0;
};

}  // namespace rolltape
