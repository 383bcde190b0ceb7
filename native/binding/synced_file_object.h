#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "../memory/file_descriptor.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeSyncedFile: a file whose writes resolve once they are on disk. A thread of the file runs them one after the
/// other. On libuv's threads, a write would wait while batches are packed there.
class SyncedFileObject : public Wrapped<SyncedFileObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x5b0c1f7e93d84a26, 0x8c71d24fe6a90b35};
  static constexpr const char* kClassName = "SyncedFile";

  static Napi::Function define(Napi::Env env);

  explicit SyncedFileObject(const Napi::CallbackInfo& info);
  ~SyncedFileObject();

 private:
  struct Write;
  static void settle(Napi::Env env, Napi::Function, SyncedFileObject* self, Write* write);
  using Settled = Napi::TypedThreadSafeFunction<SyncedFileObject, Write, settle>;

  Napi::Value write(const Napi::CallbackInfo& info);
  Napi::Value release(const Napi::CallbackInfo& info);

  /// The thread: writes until the file is released and no write is left.
  void run();
  void endThread();
  static void endThreadOf(void* self);

  FileDescriptor file_;
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
