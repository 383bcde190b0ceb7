#include "system_calls.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

namespace rolltape::test {

namespace {

SystemCalls* installed = nullptr;

/// Returns true if the call fails, with `errno` set.
bool fails(std::function<int()> SystemCalls::*call) {
  const int number = installed == nullptr ? 0 : (installed->*call)();
  if (number != 0) errno = number;
  return number != 0;
}

}  // namespace

SystemCalls::SystemCalls() {
  installed = this;
}

SystemCalls::~SystemCalls() {
  installed = nullptr;
}

}  // namespace rolltape::test

using rolltape::test::fails;
using rolltape::test::installed;
using rolltape::test::SystemCalls;

// Those of this program stand in front of those of the C library.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
  va_end(rest);
  return fails(&SystemCalls::open) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int flock(int fd, int operation) noexcept {
  return fails(&SystemCalls::flock) ? -1 : static_cast<int>(syscall(SYS_flock, fd, operation));
}

int fallocate(int fd, int mode, off_t from, off_t length) {
  return fails(&SystemCalls::fallocate) ? -1 : static_cast<int>(syscall(SYS_fallocate, fd, mode, from, length));
}

int ftruncate(int fd, off_t length) noexcept {
  return fails(&SystemCalls::ftruncate) ? -1 : static_cast<int>(syscall(SYS_ftruncate, fd, length));
}

ssize_t pwrite(int fd, const void* bytes, std::size_t count, off_t offset) {
  if (fails(&SystemCalls::pwrite)) return -1;
  const std::size_t most = installed == nullptr ? count : std::min(count, installed->mostWritten);
  return syscall(SYS_pwrite64, fd, bytes, most, offset);
}

void* mremap(void* data, std::size_t before, std::size_t length, int flags, ...) noexcept {
  if (fails(&SystemCalls::mremap)) return reinterpret_cast<void*>(-1);
  return reinterpret_cast<void*>(syscall(SYS_mremap, data, before, length, flags));
}

int madvise(void* data, std::size_t bytes, int advice) noexcept {
  if (installed != nullptr) installed->advice.emplace_back(bytes, advice);
  return static_cast<int>(syscall(SYS_madvise, data, bytes, advice));
}

}  // extern "C"
