#pragma once

#include <memory>

#include "../core/reply/reply_stream.h"
#include "generation_object.h"

namespace rolltape::binding {

/// NativeReplyStream. Holds the generation that it reads into.
class ReplyStreamObject : public Wrapped<ReplyStreamObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x4be1a9c85d2f4e06, 0x9f7703d2c1b84a5e};
  static constexpr const char* kClassName = "NativeReplyStream";

  static Napi::Function define(Napi::Env env);

  explicit ReplyStreamObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value push(const Napi::CallbackInfo& info);
  Napi::Value versions(const Napi::CallbackInfo& info);
  Napi::Value end(const Napi::CallbackInfo& info);

  Napi::ObjectReference generationReference_;
  GenerationObject* generation_ = nullptr;
  std::uint32_t base_ = 0;
  std::unique_ptr<ReplyStream> stream_;
};

}  // namespace rolltape::binding
