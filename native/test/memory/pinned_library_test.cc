#include <string>

#include "../../memory/cuda_library.h"
#include "../support.h"

namespace {

std::string calls;

int called(const std::string& call) {
  calls += call + ' ';
  return 0;
}

}  // namespace

// Functions of this executable under the driver's names, with the signatures of cuda.h.
extern "C" {
#define DRIVER_FUNCTION [[gnu::visibility("default"), gnu::used]]

DRIVER_FUNCTION int cuInit(unsigned flags) {
  return called("init" + std::to_string(flags));
}
DRIVER_FUNCTION int cuDeviceGetCount(int* count) {
  *count = 2;
  return called("count");
}
DRIVER_FUNCTION int cuDeviceGet(int* device, int ordinal) {
  *device = 70 + ordinal;
  return called("get" + std::to_string(ordinal));
}
DRIVER_FUNCTION int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &calls;
  return called("retain" + std::to_string(device));
}
DRIVER_FUNCTION int cuDevicePrimaryCtxRelease_v2(int device) {
  return called("release" + std::to_string(device));
}
DRIVER_FUNCTION int cuCtxPushCurrent_v2(void* context) {
  return called(context == &calls ? "push" : "push?");
}
DRIVER_FUNCTION int cuCtxPopCurrent_v2(void** context) {
  *context = &calls;
  return called("pop");
}
DRIVER_FUNCTION int cuMemHostAlloc(void** data, std::size_t bytes, unsigned flags) {
  *data = &calls;
  return called("alloc" + std::to_string(bytes) + "," + std::to_string(flags));
}
DRIVER_FUNCTION int cuMemFreeHost(void* data) {
  return called(data == &calls ? "free" : "free?");
}
DRIVER_FUNCTION int cuMemHostRegister_v2(void* data, std::size_t bytes, unsigned flags) {
  called((data == &calls ? "register" : "register?") + std::to_string(bytes) + "," + std::to_string(flags));
  return 712;
}
DRIVER_FUNCTION int cuMemHostUnregister(void* data) {
  return called(data == &calls ? "unregister" : "unregister?");
}
DRIVER_FUNCTION int cuGetErrorName(int result, const char** name) {
  if (result == 712) *name = "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED";
  if (result == 713) *name = nullptr;
  if (result == 714) *name = "not a name";
  return result == 714 ? 1 : 0;
}
}

namespace rolltape {
namespace {

TEST(CudaLibrary, CallsTheFunctionsOfTheDriver) {
  const auto driver = openCudaLibrary(nullptr);
  calls.clear();
  int count = 0;
  CudaDriver::Device device = 0;
  CudaDriver::Context context = nullptr;
  void* data = nullptr;
  EXPECT_EQ(CudaResult::kSuccess, driver->init());
  driver->deviceCount(count);
  driver->device(device, 1);
  driver->retainContext(context, device);
  driver->pushContext(context);
  driver->allocate(data, 5);
  driver->free(data);
  EXPECT_EQ(CudaResult::kAlreadyRegistered, driver->registerPages(data, 4096));
  driver->unregisterPages(data);
  driver->popContext();
  driver->releaseContext(device);
  EXPECT_EQ(2, count);
  EXPECT_EQ("init0 count get1 retain71 push alloc5,1 free register4096,1 unregister pop release71 ", calls);
}

TEST(CudaLibrary, NamesErrorsAsTheDriverDoes) {
  const auto driver = openCudaLibrary(nullptr);
  EXPECT_EQ("CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", driver->errorName(CudaResult::kAlreadyRegistered));
  EXPECT_EQ("CUDA error 713", driver->errorName(static_cast<CudaResult>(713)));
  EXPECT_EQ("CUDA error 714", driver->errorName(static_cast<CudaResult>(714)));
  EXPECT_EQ("CUDA error 99999", driver->errorName(static_cast<CudaResult>(99999)));
}

}  // namespace
}  // namespace rolltape
