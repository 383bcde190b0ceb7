#include "prompt_object.h"

#include <algorithm>

#include "../core/reply/request_body.h"
#include "addon_data.h"
#include "args.h"
#include "buffers.h"
#include "generation_object.h"
#include "request_worker.h"
#include "scores_worker.h"

namespace rolltape::binding {

namespace {

/// What the garbage collector cannot see of a prompt.
std::int64_t ownBytes(const Prompt& prompt) {
  return static_cast<std::int64_t>(prompt.tail().size_bytes());
}

}  // namespace

Napi::Function PromptObject::define(Napi::Env env) {
  using Self = PromptObject;
  return DefineClass(
      env, kClassName,
      {guardedGetter<&Self::length>("length"), guardedMethod<&Self::tokens>("tokens"),
       guardedMethod<&Self::firstUnrecorded>("firstUnrecorded"), guardedMethod<&Self::requestBody>("requestBody"),
       promiseMethod<&Self::requestBodyAsync>("requestBodyAsync"), guardedMethod<&Self::readScores>("readScores"),
       promiseMethod<&Self::readScoresAsync>("readScoresAsync"), guardedMethod<&Self::release>("release")});
}

Napi::Object PromptObject::create(Napi::Env env, Prompt prompt) {
  const Napi::Object object = addonData(env).prompt.New({});
  PromptObject* self = Unwrap(object);
  self->prompt_ = std::make_shared<const Prompt>(std::move(prompt));
  self->length_ = self->prompt_->length();
  Napi::MemoryManagement::AdjustExternalMemory(env, ownBytes(*self->prompt_));
  return object;
}

const std::shared_ptr<const Prompt>& PromptObject::shared() const {
  if (!length_) throw Error(ErrorCode::kInvalidArg, "prompts come from NativeSession.prompt");
  if (!prompt_) throw Error(ErrorCode::kReleased, "the prompt was released");
  return prompt_;
}

void PromptObject::freeIds(Napi::BasicEnv env) {
  if (!prompt_) return;
  Napi::MemoryManagement::AdjustExternalMemory(env, -ownBytes(*prompt_));
  prompt_.reset();
}

Napi::Value PromptObject::release(const Napi::CallbackInfo& info) {
  freeIds(info.Env());
  return info.Env().Undefined();
}

Napi::Value PromptObject::readScores(const Napi::CallbackInfo& info) {
  const ScoresReader reader = scoresReaderArg(info[1]);
  return scoresToJs(info.Env(), reader(bytesArg(info[0], "body"), prompt()));
}

Napi::Value PromptObject::readScoresAsync(const Napi::CallbackInfo& info) {
  const ScoresReader reader = scoresReaderArg(info[1]);
  return PromiseWorker::start(new ScoresWorker(info.Env(), shared(), HeldBytes(info[0], "body"), reader));
}

Napi::Value PromptObject::length(const Napi::CallbackInfo& info) {
  if (!length_) shared();
  return Napi::Number::New(info.Env(), *length_);
}

Napi::Value PromptObject::tokens(const Napi::CallbackInfo& info) {
  auto ids = newArray<std::int32_t>(info.Env(), prompt().length());
  std::int32_t* to = ids.Data();
  for (const TokenSpan span : prompt().spans()) to = std::copy(span.begin(), span.end(), to);
  return ids;
}

Napi::Value PromptObject::firstUnrecorded(const Napi::CallbackInfo& info) {
  const std::string channel = utf8Arg(info[0], "channel");
  std::uint32_t first = prompt().firstUnrecorded(channel);
  if (!info[1].IsUndefined()) {
    for (const ChannelBuffer& buffer : GenerationObject::fromArg(info[1], "partial").generation().channels()) {
      if (buffer.spec.name == channel) first = std::max(first, buffer.end());
    }
  }
  return Napi::Number::New(info.Env(), first);
}

Napi::Value PromptObject::requestBody(const Napi::CallbackInfo& info) {
  const std::string prefix = utf8Arg(info[0], "prefix");
  const std::string suffix = utf8Arg(info[1], "suffix");
  const Generation* partial =
      info[2].IsUndefined() ? nullptr : &GenerationObject::fromArg(info[2], "partial").generation();
  const std::uint32_t from =
      info[3].IsUndefined() ? 0 : static_cast<std::uint32_t>(integerArg(info[3], "from", 0, prompt().length()));
  const RequestBody body(prefix, prompt(), partial, suffix, from);
  return newBuffer(info.Env(), body.byteLength(), [&](std::uint8_t* to) { body.write(reinterpret_cast<char*>(to)); });
}

Napi::Value PromptObject::requestBodyAsync(const Napi::CallbackInfo& info) {
  std::string prefix = utf8Arg(info[0], "prefix");
  std::string suffix = utf8Arg(info[1], "suffix");
  GenerationObject* partial = info[2].IsUndefined() ? nullptr : &GenerationObject::fromArg(info[2], "partial");
  if (partial != nullptr) partial->generation();
  return PromiseWorker::start(new RequestWorker(info.Env(), shared(), partial, std::move(prefix), std::move(suffix)));
}

}  // namespace rolltape::binding
