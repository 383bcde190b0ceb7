#include "prompt_object.h"

#include <algorithm>

#include "../core/request_writer.h"
#include "addon_data.h"
#include "buffers.h"
#include "generation_object.h"

namespace rolltape::binding {

Napi::Function PromptObject::define(Napi::Env env) {
  return DefineClass(env, kClassName,
                     {guardedGetter<&PromptObject::length>("length"), guardedMethod<&PromptObject::tokens>("tokens"),
                      guardedMethod<&PromptObject::requestBody>("requestBody")});
}

Napi::Object PromptObject::create(Napi::Env env, Prompt prompt) {
  const Napi::Object object = addonData(env).prompt.New({});
  Unwrap(object)->prompt_ = std::move(prompt);
  return object;
}

const Prompt& PromptObject::prompt() const {
  if (!prompt_) throw Error(ErrorCode::kInvalidArg, "prompts come from NativeSession.prompt");
  return *prompt_;
}

Napi::Value PromptObject::length(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), prompt().length());
}

Napi::Value PromptObject::tokens(const Napi::CallbackInfo& info) {
  auto ids = newArray<std::int32_t>(info.Env(), prompt().length());
  std::int32_t* to = ids.Data();
  for (const TokenSpan span : prompt().spans()) to = std::copy(span.begin(), span.end(), to);
  return ids;
}

Napi::Value PromptObject::requestBody(const Napi::CallbackInfo& info) {
  const std::string prefix = utf8Arg(info[0], "prefix");
  const std::string suffix = utf8Arg(info[1], "suffix");
  const Generation* partial =
      info[2].IsUndefined() ? nullptr : &GenerationObject::fromArg(info[2], "partial").generation();
  const RequestBody body(prefix, prompt(), partial, suffix);
  return newBuffer(info.Env(), body.byteLength(), [&](std::uint8_t* to) { body.write(reinterpret_cast<char*>(to)); });
}

}  // namespace rolltape::binding
