// Preloaded into a process and loaded by it as an addon: lets `operator new` fail where another library calls it, and
// nowhere else, so that only the addon under test runs out of memory and not the engine around it.
//
//   watch(path)        the library, loaded already, whose allocations are counted
//   fail(after, all)   so many of them still succeed; then one fails, or all do. A negative number: none fails

#include <link.h>
#include <node_api.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

namespace {

std::atomic<std::uintptr_t> watchedBegin = 0;
std::atomic<std::uintptr_t> watchedEnd = 0;
std::atomic<std::int64_t> allowed = -1;
std::atomic<bool> failAll = false;

bool fails(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (address < watchedBegin || address >= watchedEnd) return false;
  std::int64_t left = allowed;
  while (left > 0 && !allowed.compare_exchange_weak(left, left - 1)) {
  }
  if (left != 0) return false;
  if (!failAll) allowed = -1;
  return true;
}

int findLibrary(dl_phdr_info* info, std::size_t, void* wanted) {
  if (*static_cast<const std::string*>(wanted) != info->dlpi_name) return 0;
  std::uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
  }
  watchedBegin = info->dlpi_addr;
  watchedEnd = end;
  return 1;
}

napi_value watch(napi_env env, napi_callback_info info) {
  std::size_t count = 1;
  napi_value argument = nullptr;
  napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
  char path[4096];
  napi_get_value_string_utf8(env, argument, path, sizeof(path), nullptr);
  std::string wanted(path);
  if (dl_iterate_phdr(findLibrary, &wanted) == 0) napi_throw_error(env, nullptr, "no such library is loaded");
  return nullptr;
}

napi_value fail(napi_env env, napi_callback_info info) {
  std::size_t count = 2;
  napi_value arguments[2] = {};
  napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
  std::int64_t after = -1;
  bool all = false;
  napi_get_value_int64(env, arguments[0], &after);
  napi_get_value_bool(env, arguments[1], &all);
  failAll = all;
  allowed = after;
  return nullptr;
}

void* allocate(std::size_t bytes, const void* caller) noexcept {
  return fails(caller) ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* memory = allocate(bytes, __builtin_return_address(0))) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
  if (void* memory = allocate(bytes, __builtin_return_address(0))) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function = nullptr;
  napi_create_function(env, "watch", NAPI_AUTO_LENGTH, watch, nullptr, &function);
  napi_set_named_property(env, exports, "watch", function);
  napi_create_function(env, "fail", NAPI_AUTO_LENGTH, fail, nullptr, &function);
  napi_set_named_property(env, exports, "fail", function);
  return exports;
}
