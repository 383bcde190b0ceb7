// NVIDIA's driver without a device: page-locked memory is the C library's. Loaded by a test as an addon under the name
// libcuda.so.1, so that the addon under test finds it as the driver.
//
//   fail(name, result)   that function answers this CUresult from now on; 0: it works
//   use()                contexts retained, allocations and registrations that there are, threads with a context

#include <node_api.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kInvalidContext = 201;

std::mutex mutex;
std::map<std::string, int> failures;
std::set<void*> allocated;
std::set<void*> registered;
std::map<std::thread::id, int> current;
int retained = 0;

int outcome(const char* function) {
  const auto at = failures.find(function);
  return at == failures.end() ? 0 : at->second;
}

/// Runs what a function does, where it does not fail and a context is current.
template <typename Body>
int inContext(const char* function, Body body) {
  const std::lock_guard lock(mutex);
  if (current[std::this_thread::get_id()] == 0) return kInvalidContext;
  const int result = outcome(function);
  return result == 0 ? body() : result;
}

template <typename Body>
int anywhere(const char* function, Body body) {
  const std::lock_guard lock(mutex);
  const int result = outcome(function);
  return result == 0 ? body() : result;
}

napi_value fail(napi_env env, napi_callback_info info) {
  std::size_t count = 2;
  napi_value arguments[2] = {};
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  char name[64];
  napi_get_value_string_utf8(env, arguments[0], name, sizeof(name), nullptr);
  int result = 0;
  napi_get_value_int32(env, arguments[1], &result);
  const std::lock_guard lock(mutex);
  failures[name] = result;
  return nullptr;
}

void set(napi_env env, napi_value object, const char* name, std::size_t number) {
  napi_value value = nullptr;
  napi_create_double(env, static_cast<double>(number), &value);
  napi_set_named_property(env, object, name, value);
}

napi_value use(napi_env env, napi_callback_info) {
  const std::lock_guard lock(mutex);
  std::size_t inside = 0;
  for (const auto& [thread, depth] : current) inside += depth > 0 ? 1 : 0;
  napi_value answer = nullptr;
  napi_create_object(env, &answer);
  set(env, answer, "contexts", static_cast<std::size_t>(retained));
  set(env, answer, "allocated", allocated.size());
  set(env, answer, "registered", registered.size());
  set(env, answer, "threadsInContext", inside);
  return answer;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  return anywhere("cuInit", [] { return 0; });
}
int cuDeviceGetCount(int* count) {
  return anywhere("cuDeviceGetCount", [&] {
    *count = outcome("devices") == 0 ? 1 : 0;
    return 0;
  });
}
int cuDeviceGet(int* device, int ordinal) {
  return anywhere("cuDeviceGet", [&] {
    *device = ordinal;
    return 0;
  });
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  return anywhere("cuDevicePrimaryCtxRetain", [&] {
    ++retained;
    *context = &retained;
    return 0;
  });
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return anywhere("cuDevicePrimaryCtxRelease", [] {
    --retained;
    return 0;
  });
}
int cuCtxPushCurrent_v2(void* context) {
  return anywhere("cuCtxPushCurrent", [&] {
    if (context != &retained) return kInvalidContext;
    ++current[std::this_thread::get_id()];
    return 0;
  });
}
int cuCtxPopCurrent_v2(void**) {
  return inContext("cuCtxPopCurrent", [] {
    --current[std::this_thread::get_id()];
    return 0;
  });
}
int cuMemHostAlloc(void** data, std::size_t bytes, unsigned) {
  return inContext("cuMemHostAlloc", [&] {
    const std::size_t pages = (bytes + 4095) / 4096;
    *data = std::aligned_alloc(4096, pages * 4096);
    allocated.insert(*data);
    return 0;
  });
}
int cuMemFreeHost(void* data) {
  return inContext("cuMemFreeHost", [&] {
    if (allocated.erase(data) == 0) return kInvalidValue;
    std::free(data);
    return 0;
  });
}
int cuMemHostRegister_v2(void* data, std::size_t, unsigned) {
  return inContext("cuMemHostRegister", [&] {
    registered.insert(data);
    return 0;
  });
}
int cuMemHostUnregister(void* data) {
  return inContext("cuMemHostUnregister", [&] { return registered.erase(data) == 1 ? 0 : kInvalidValue; });
}
int cuGetErrorName(int result, const char** name) {
  return anywhere("cuGetErrorName", [&] {
    *name = result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_TEST";
    return 0;
  });
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function = nullptr;
  napi_create_function(env, "fail", NAPI_AUTO_LENGTH, fail, nullptr, &function);
  napi_set_named_property(env, exports, "fail", function);
  napi_create_function(env, "use", NAPI_AUTO_LENGTH, use, nullptr, &function);
  napi_set_named_property(env, exports, "use", function);
  return exports;
}
}
