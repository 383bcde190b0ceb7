#pragma once

#include "../memory/file_descriptor.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeFileLock: a lock on a file. The operating system releases it when the process ends.
class FileLockObject : public Wrapped<FileLockObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x1f6c27d9b84a4e03, 0xa35e90c4d7124b68};
  static constexpr const char* kClassName = "FileLock";

  static Napi::Function define(Napi::Env env);

  explicit FileLockObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value held(const Napi::CallbackInfo& info);
  Napi::Value release(const Napi::CallbackInfo& info);

  /// Empty unless the lock is held.
  FileDescriptor file_;
};

}  // namespace rolltape::binding
