#pragma once

#include <memory>
#include <optional>

#include "../core/session/prompt.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativePrompt.
class PromptObject : public Wrapped<PromptObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x5b0e3a6a54c74d20, 0x9d4c0c1f9c9a6e11};
  static constexpr const char* kClassName = "NativePrompt";

  static Napi::Function define(Napi::Env env);
  static Napi::Object create(Napi::Env env, Prompt prompt);

  using Wrapped::Wrapped;
  void Finalize(Napi::BasicEnv env) override { freeIds(env); }
  /// @throws Error kReleased after release().
  const Prompt& prompt() const { return *shared(); }

 private:
  const std::shared_ptr<const Prompt>& shared() const;
  void freeIds(Napi::BasicEnv env);
  Napi::Value length(const Napi::CallbackInfo& info);
  Napi::Value tokens(const Napi::CallbackInfo& info);
  Napi::Value firstUnrecorded(const Napi::CallbackInfo& info);
  Napi::Value requestBody(const Napi::CallbackInfo& info);
  Napi::Value requestBodyAsync(const Napi::CallbackInfo& info);
  Napi::Value readScores(const Napi::CallbackInfo& info);
  Napi::Value readScoresAsync(const Napi::CallbackInfo& info);
  Napi::Value release(const Napi::CallbackInfo& info);

  std::shared_ptr<const Prompt> prompt_;
  std::optional<std::uint32_t> length_;
};

}  // namespace rolltape::binding
