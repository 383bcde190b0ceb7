#include "reply_to_js.h"

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

Napi::Object failureToJs(Napi::Env env, const EngineFailure& failure) {
  const Napi::Object object = Napi::Object::New(env);
  object.Set("message", Napi::String::New(env, failure.message));
  if (failure.code) object.Set("code", Napi::Number::New(env, *failure.code));
  return object;
}

const char* namingText(VersionNaming naming) {
  switch (naming) {
    case VersionNaming::kNone:
      return "none";
    case VersionNaming::kReply:
      return "reply";
    case VersionNaming::kSpans:
      return "spans";
  }
  return "none";
}

}  // namespace

Napi::Object versionsToJs(Napi::Env env, const NamedVersions& versions) {
  const Napi::Object object = Napi::Object::New(env);
  const auto set = [&](const char* name, const std::optional<std::int32_t>& version) {
    if (version) object.Set(name, Napi::Number::New(env, *version));
  };
  object.Set("naming", Napi::String::New(env, namingText(versions.naming)));
  if (!versions.labels.empty()) {
    const Napi::Array labels = Napi::Array::New(env, versions.labels.size());
    std::uint32_t index = 0;
    for (const std::string& label : versions.labels) labels.Set(index++, Napi::String::New(env, label));
    object.Set("labels", labels);
  }
  set("highest", versions.highest);
  set("first", versions.first);
  set("last", versions.last);
  object.Set("firstCount", Napi::Number::New(env, versions.firstCount));
  object.Set("mixed", Napi::Boolean::New(env, versions.mixed));
  object.Set("saysDefault", Napi::Boolean::New(env, versions.saysDefault));
  return object;
}

Napi::Object replyToJs(Napi::Env env, const EngineReply& reply, std::uint32_t tokens) {
  const Napi::Object object = Napi::Object::New(env);
  const auto setCount = [&](const char* name, const std::optional<std::int64_t>& count) {
    if (count) object.Set(name, Napi::Number::New(env, static_cast<double>(*count)));
  };
  object.Set("tokens", Napi::Number::New(env, tokens));
  if (reply.id) object.Set("id", Napi::String::New(env, *reply.id));
  if (reply.error) object.Set("error", failureToJs(env, *reply.error));
  if (reply.finish) object.Set("finish", finishToJs(env, *reply.finish));
  setCount("promptTokens", reply.promptTokens);
  setCount("completionTokens", reply.completionTokens);
  setCount("cachedTokens", reply.cachedTokens);
  if (reply.hasExperts) object.Set("hasExperts", Napi::Boolean::New(env, true));
  if (reply.hasMasks) object.Set("hasMasks", Napi::Boolean::New(env, true));
  if (reply.longestMask > 0) object.Set("longestMask", Napi::Number::New(env, reply.longestMask));
  if (reply.hasTokenIds) object.Set("hasTokenIds", Napi::Boolean::New(env, true));
  if (reply.versions.naming != VersionNaming::kNone || reply.versions.saysDefault) {
    object.Set("versions", versionsToJs(env, reply.versions));
  }
  return object;
}

}  // namespace rolltape::binding
