#include "reply_worker.h"

#include <utility>

namespace rolltape::binding {

namespace {

Napi::Object finishToJs(Napi::Env env, const EngineFinish& finish) {
  const Napi::Object object = Napi::Object::New(env);
  object.Set("type", Napi::String::New(env, finish.type));
  if (const auto* id = std::get_if<std::int64_t>(&finish.matched)) {
    object.Set("matched", Napi::Number::New(env, static_cast<double>(*id)));
  } else if (const auto* text = std::get_if<std::string>(&finish.matched)) {
    object.Set("matched", Napi::String::New(env, *text));
  }
  if (finish.message) object.Set("message", Napi::String::New(env, *finish.message));
  if (finish.statusCode) object.Set("statusCode", Napi::Number::New(env, static_cast<double>(*finish.statusCode)));
  return object;
}

}  // namespace

Napi::Object replyToJs(Napi::Env env, const EngineReply& reply) {
  const Napi::Object object = Napi::Object::New(env);
  const auto setCount = [&](const char* name, const std::optional<std::int64_t>& count) {
    if (count) object.Set(name, Napi::Number::New(env, static_cast<double>(*count)));
  };
  object.Set("tokens", Napi::Number::New(env, reply.tokens.length()));
  if (reply.id) object.Set("id", Napi::String::New(env, *reply.id));
  if (reply.finish) object.Set("finish", finishToJs(env, *reply.finish));
  setCount("promptTokens", reply.promptTokens);
  setCount("completionTokens", reply.completionTokens);
  setCount("cachedTokens", reply.cachedTokens);
  return object;
}

ReplyWorker::ReplyWorker(GenerationObject& generation, Napi::Uint8Array body, std::int32_t version)
    : PromiseWorker(body.Env(), "rolltape.readReply"),
      generation_(generation),
      generationReference_(Napi::Persistent(generation.Value())),
      bodyReference_(Napi::Persistent(body.As<Napi::Object>())),
      bytes_(body.Data(), body.ElementLength()),
      version_(version) {
  generation.setReading(true);
}

Napi::Value ReplyWorker::result() {
  const Napi::Object object = replyToJs(Env(), reply_);
  generation_.generation().append(std::move(reply_.tokens));
  return object;
}

}  // namespace rolltape::binding
