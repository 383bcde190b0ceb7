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

/// NativeLogFile: a segment of the log whose appends resolve once they are on disk. Each file has a thread that runs
/// its writes one after the other. On libuv's threads, they would wait while batches are packed there.
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
  /// Reserves disk space at least up to `end`, so that a full disk refuses a record before any of its bytes are
  /// written. Returns the error if there is no space.
  std::optional<Error> allocate(std::uint64_t end);
  /// Truncates the file to `end` after a refused write. Otherwise, the rest of its bytes could follow a shorter record
  /// that is written there next. Returns false if that fails.
  bool cutOff(std::uint64_t end);
  /// Writes zeros after the last record, which the next records overwrite.
  void writeZeros();
  void endThread();
  static void endThreadOf(void* self);

  FileDescriptor file_;
  std::array<std::uint8_t, 8> log_;
  std::uint64_t segment_;
  bool synced_;
  /// Where the reserved disk space ends. Used on the thread only.
  std::uint64_t allocated_;
  /// Where the written bytes end: records and zeros. Used on the thread only.
  std::uint64_t written_;
  /// How many zeros to write when a small record reaches the end of the written bytes. Used on the thread only.
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
