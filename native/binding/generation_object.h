#pragma once

#include <optional>

#include "../core/reply/asked_values.h"
#include "../core/session/generation.h"
#include "wrapped.h"

namespace rolltape::binding {

/// Alternatives to keep per token. @throws Error kInvalidArg.
std::size_t topWidthArg(Napi::Value value);

/// The values that a request asked for; undefined for none. @throws Error kInvalidArg.
AskedValues askedArg(Napi::Value value);

/// NativeGeneration.
class GenerationObject : public Wrapped<GenerationObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x0a9d7f7d40f64d41, 0x8a6d2b6dd3c5b0f7};
  static constexpr const char* kClassName = "NativeGeneration";

  static Napi::Function define(Napi::Env env);

  explicit GenerationObject(const Napi::CallbackInfo& info);
  /// @throws Error kReleased after consume(), kInvalidArg while a worker reads into it.
  Generation& generation();
  /// Frees the tokens: a session has them now.
  void consume();
  /// While a worker thread reads a reply, the generation that it will go to must stay as it is.
  void setReading(bool reading) { reading_ = reading; }

 private:
  Napi::Value length(const Napi::CallbackInfo& info);
  Napi::Value append(const Napi::CallbackInfo& info);
  Napi::Value appendTop(const Napi::CallbackInfo& info);
  Napi::Value recordTop(const Napi::CallbackInfo& info);
  Napi::Value addChannel(const Napi::CallbackInfo& info);
  Napi::Value hasOutputs(const Napi::CallbackInfo& info);
  Napi::Value appendSglangReply(const Napi::CallbackInfo& info);
  Napi::Value appendSglangReplyAsync(const Napi::CallbackInfo& info);
  Napi::Value appendVllmReply(const Napi::CallbackInfo& info);
  Napi::Value appendVllmReplyAsync(const Napi::CallbackInfo& info);
  Napi::Value truncate(const Napi::CallbackInfo& info);
  Napi::Value nameVersions(const Napi::CallbackInfo& info);
  Napi::Value markForced(const Napi::CallbackInfo& info);
  Napi::Value ids(const Napi::CallbackInfo& info);
  Napi::Value logprobs(const Napi::CallbackInfo& info);
  Napi::Value versions(const Napi::CallbackInfo& info);
  Napi::Value top(const Napi::CallbackInfo& info);

  Generation generation_;
  bool consumed_ = false;
  bool reading_ = false;
};

}  // namespace rolltape::binding
