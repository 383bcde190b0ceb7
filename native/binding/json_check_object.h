#pragma once

#include "../core/json/shape.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeJsonCheck: checks JSON documents against limits that were read once.
class JsonCheckObject : public Wrapped<JsonCheckObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x7c1e0b52a9d3486f, 0xb4f26d8e13a75c90};
  static constexpr const char* kClassName = "JsonCheck";

  static Napi::Function define(Napi::Env env);

  explicit JsonCheckObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value findExcess(const Napi::CallbackInfo& info);
  Napi::Value findExcessAsync(const Napi::CallbackInfo& info);

  JsonLimits limits_;
};

}  // namespace rolltape::binding
