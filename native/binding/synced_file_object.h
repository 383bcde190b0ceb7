#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "../memory/file_descriptor.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeSyncedFile: a file whose writes resolve once they are on disk. They run in their order on a thread of the
/// file, because a write that shares libuv's threads would wait while batches are packed there.
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
  /// Writes whose promises are open. While there are any, they keep this object and the process alive. On the event
  /// loop.
  std::size_t open_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Write>> queue_;
  bool released_ = false;

  std::thread thread_;
};

}  // namespace rolltape::binding
