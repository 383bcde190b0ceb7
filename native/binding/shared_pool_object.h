#pragma once

#include <memory>

#include "../memory/shared_pool.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeSharedPool.
class SharedPoolObject : public Wrapped<SharedPoolObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x4be0a9c35d1f4e72, 0x9d0c6a1b83f24e57};
  static constexpr const char* kClassName = "SharedPool";

  static Napi::Function define(Napi::Env env);

  explicit SharedPoolObject(const Napi::CallbackInfo& info);
  /// Of a pool that may be closed.
  const std::shared_ptr<SharedPool>& pool() const { return pool_; }

 private:
  Napi::Value use(const Napi::CallbackInfo& info);
  Napi::Value reserve(const Napi::CallbackInfo& info);
  Napi::Value trim(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  std::shared_ptr<SharedPool> pool_;
};

}  // namespace rolltape::binding
