#include "reply_stream_object.h"

#include "../core/reply/sglang/stream.h"
#include "../core/reply/vllm/stream.h"
#include "reply_to_js.h"

namespace rolltape::binding {

namespace {

std::unique_ptr<FrameReader> readerArg(const Napi::CallbackInfo& info, const Generation& generation) {
  const std::string format = utf8Arg(info[0], "format");
  const std::int32_t version = int32Arg(info[2], "version");
  const AskedValues asked = askedArg(info[4]);
  if (format == "sglang") return std::make_unique<SglangStream>(generation, version, asked);
  if (format == "vllm") return std::make_unique<VllmStream>(generation, version, topWidthArg(info[3]), asked);
  throwInvalid("format", "\"sglang\" or \"vllm\"");
}

}  // namespace

Napi::Function ReplyStreamObject::define(Napi::Env env) {
  using Self = ReplyStreamObject;
  return DefineClass(env, "ReplyStream",
                     {guardedMethod<&Self::push>("push"), guardedMethod<&Self::versions>("versions"),
                      guardedMethod<&Self::end>("end")});
}

ReplyStreamObject::ReplyStreamObject(const Napi::CallbackInfo& info) : Wrapped(info) {
  guarded(info.Env(), [&] {
    generation_ = &GenerationObject::fromArg(info[1], "generation");
    base_ = generation_->generation().length();
    stream_ = std::make_unique<ReplyStream>(readerArg(info, generation_->generation()));
    generationReference_ = Napi::Persistent(info[1].As<Napi::Object>());
    return info.Env().Undefined();
  });
}

Napi::Value ReplyStreamObject::push(const Napi::CallbackInfo& info) {
  const std::span<const std::uint8_t> bytes = bytesArg(info[0], "bytes");
  Generation& generation = generation_->generation();
  const std::uint32_t before = generation.length();
  if (!info[1].IsUndefined()) stream_->setUnnamedVersion(int32Arg(info[1], "version"));
  stream_->push(bytes, generation);
  return Napi::Number::New(info.Env(), generation.length() - before);
}

Napi::Value ReplyStreamObject::versions(const Napi::CallbackInfo& info) {
  return versionsToJs(info.Env(), stream_->versions());
}

Napi::Value ReplyStreamObject::end(const Napi::CallbackInfo& info) {
  Generation& generation = generation_->generation();
  const EngineReply reply = stream_->end(generation);
  return replyToJs(info.Env(), reply, generation.length() - base_);
}

}  // namespace rolltape::binding
