#include "cuda_library.h"

#include <dlfcn.h>

#include <utility>

#include "../core/base/error.h"

namespace rolltape {

namespace {

/// The loaded library. Never unloaded: the driver keeps threads of its own.
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw Error(ErrorCode::kPinnedUnavailable, lastError(std::string(name ? name : "this process")));
  }

  template <typename Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (!function) throw Error(ErrorCode::kPinnedUnavailable, lastError(std::string("no ") + name));
  }

 private:
  static std::string lastError(const std::string& otherwise) {
    const char* message = dlerror();
    return message ? message : otherwise;
  }

  void* handle_;
};

// Names and signatures of cuda.h, CUDA 11 to 13; a name with _v2 is what the header's macro of the plain name stands
// for.
class CudaLibrary final : public CudaDriver {
 public:
  explicit CudaLibrary(const char* name) {
    const Library library(name);
    library.find(init_, "cuInit");
    library.find(deviceGetCount_, "cuDeviceGetCount");
    library.find(deviceGet_, "cuDeviceGet");
    library.find(retain_, "cuDevicePrimaryCtxRetain");
    library.find(release_, "cuDevicePrimaryCtxRelease_v2");
    library.find(push_, "cuCtxPushCurrent_v2");
    library.find(pop_, "cuCtxPopCurrent_v2");
    library.find(hostAlloc_, "cuMemHostAlloc");
    library.find(freeHost_, "cuMemFreeHost");
    library.find(hostRegister_, "cuMemHostRegister_v2");
    library.find(hostUnregister_, "cuMemHostUnregister");
    library.find(getErrorName_, "cuGetErrorName");
  }

  CudaResult init() override { return result(init_(0)); }
  CudaResult deviceCount(int& count) override { return result(deviceGetCount_(&count)); }
  CudaResult device(Device& device, int ordinal) override { return result(deviceGet_(&device, ordinal)); }
  CudaResult retainContext(Context& context, Device device) override { return result(retain_(&context, device)); }
  CudaResult releaseContext(Device device) override { return result(release_(device)); }
  CudaResult pushContext(Context context) override { return result(push_(context)); }
  CudaResult popContext() override {
    Context popped = nullptr;
    return result(pop_(&popped));
  }
  CudaResult allocate(void*& data, std::size_t bytes) override { return result(hostAlloc_(&data, bytes, kPortable)); }
  CudaResult free(void* data) override { return result(freeHost_(data)); }
  CudaResult registerPages(void* data, std::size_t bytes) override {
    return result(hostRegister_(data, bytes, kPortable));
  }
  CudaResult unregisterPages(void* data) override { return result(hostUnregister_(data)); }
  std::string errorName(CudaResult result) override {
    const char* name = nullptr;
    const bool known = getErrorName_(static_cast<int>(result), &name) == 0 && name;
    return known ? name : "CUDA error " + std::to_string(static_cast<int>(result));
  }

 private:
  /// CU_MEMHOSTALLOC_PORTABLE and CU_MEMHOSTREGISTER_PORTABLE.
  static constexpr unsigned kPortable = 1;

  static CudaResult result(int value) { return static_cast<CudaResult>(value); }

  int (*init_)(unsigned flags);
  int (*deviceGetCount_)(int* count);
  int (*deviceGet_)(Device* device, int ordinal);
  int (*retain_)(Context* context, Device device);
  int (*release_)(Device device);
  int (*push_)(Context context);
  int (*pop_)(Context* context);
  int (*hostAlloc_)(void** data, std::size_t bytes, unsigned flags);
  int (*freeHost_)(void* data);
  int (*hostRegister_)(void* data, std::size_t bytes, unsigned flags);
  int (*hostUnregister_)(void* data);
  int (*getErrorName_)(int result, const char** name);
};

}  // namespace

std::unique_ptr<CudaDriver> openCudaLibrary(const char* library) {
  return std::make_unique<CudaLibrary>(library);
}

}  // namespace rolltape
