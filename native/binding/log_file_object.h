#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "../core/base/error.h"
#include "../memory/file_descriptor.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeLogFile: a file whose writes resolve once they are on disk. A thread of the file runs them one after the
/// other. On libuv's threads, a write would wait while batches are packed there.
class LogFileObject : public Wrapped<LogFileObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x1d7fa2c60be94835, 0xa36e90d15c82f74b};
  static constexpr const char* kClassName = "LogFile";

  static Napi::Function define(Napi::Env env);

  explicit LogFileObject(const Napi::CallbackInfo& info);
  ~LogFileObject();

 private:
  struct Write;
  static void settle(Napi::Env env, Napi::Function, LogFileObject* self, Write* write);
  using Settled = Napi::TypedThreadSafeFunction<LogFileObject, Write, settle>;

  Napi::Value append(const Napi::CallbackInfo& info);
  Napi::Value release(const Napi::CallbackInfo& info);

  /// The thread: writes until the file is released and no write is left.
  void run();
  /// Writes the record, and waits until it is on disk if the file is synced. Returns the error if that fails.
  std::optional<Error> perform(Write& write);
  /// Gives the file disk space up to `end` and beyond, so that a full disk refuses a record before any of its bytes are
  /// written. Returns the error if there is no space.
  std::optional<Error> allocate(std::uint64_t end);
  /// Cuts off what a refused write left behind `end`, so that it cannot follow a shorter record that is written there
  /// next. Returns false if that fails.
  bool cutOff(std::uint64_t end);
  /// Writes zeros after the last record.
  void writeZeros();
  void endThread();
  static void endThreadOf(void* self);

  FileDescriptor file_;
  std::array<std::uint8_t, 8> log_;
  std::uint64_t segment_;
  bool synced_;
  /// Up to where the file has disk space. Used on the thread only.
  std::uint64_t allocated_;
  /// Up to where the file was written. Used on the thread only.
  std::uint64_t written_;
  /// Zeros to write after the next small record. Used on the thread only.
  std::uint64_t zeroBytes_;
  Settled settled_;
  /// Number of writes whose promises are open. They keep this object and the process alive. Used on the event loop
  /// only.
  std::size_t open_ = 0;

  /// Guards `queue_` and `released_`. Only the event loop changes `released_`, so it reads it without the lock.
  std::mutex mutex_;
  /// Notified when `queue_` or `released_` has changed.
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Write>> queue_;
  bool released_ = false;

  std::thread thread_;
};

}  // namespace rolltape::binding
