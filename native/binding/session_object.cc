#include "session_object.h"

#include "../core/reward.h"
#include "addon_data.h"
#include "buffers.h"
#include "generation_object.h"
#include "prompt_object.h"

namespace rolltape::binding {

Napi::Function SessionObject::define(Napi::Env env) {
  using Self = SessionObject;
  return DefineClass(
      env, "Session",
      {guardedGetter<&Self::length>("length"), guardedGetter<&Self::byteLength>("byteLength"),
       guardedMethod<&Self::findParent>("findParent"), guardedMethod<&Self::findSame>("findSame"),
       guardedMethod<&Self::prompt>("prompt"), guardedMethod<&Self::record>("record"),
       guardedMethod<&Self::drop>("drop"), guardedMethod<&Self::setReward>("setReward"),
       guardedMethod<&Self::interaction>("interaction"), guardedMethod<&Self::discountedRewards>("discountedRewards"),
       guardedMethod<&Self::release>("release")});
}

SessionObject::SessionObject(const Napi::CallbackInfo& info)
    : Wrapped(info),
      session_(guarded(info.Env(), [&] { return std::make_unique<Session>(addonData(info.Env()).digestKey); })) {}

Session& SessionObject::session() {
  if (!session_) throw Error(ErrorCode::kReleased, "the session was released");
  return *session_;
}

Napi::Value SessionObject::length(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(session().length()));
}

Napi::Value SessionObject::byteLength(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(session().byteLength()));
}

Napi::Value SessionObject::findParent(const Napi::CallbackInfo& info) {
  const auto match = session().findParent(digestsArg(info[0], "digests"));
  if (!match) return info.Env().Undefined();
  const Napi::Object found = Napi::Object::New(info.Env());
  const char* rule = match->rule == ParentRule::kContinuation ? "continuation" : "messages";
  found.Set("index", Napi::Number::New(info.Env(), match->index));
  found.Set("rule", Napi::String::New(info.Env(), rule));
  return found;
}

Napi::Value SessionObject::findSame(const Napi::CallbackInfo& info) {
  const std::vector<std::uint32_t> same = session().findSame(digestsArg(info[0], "digests"));
  const Napi::Array found = Napi::Array::New(info.Env(), same.size());
  for (std::uint32_t i = 0; i < same.size(); ++i) found.Set(i, Napi::Number::New(info.Env(), same[i]));
  return found;
}

Napi::Value SessionObject::prompt(const Napi::CallbackInfo& info) {
  const std::vector<Napi::Value> values = itemsOf(arrayArg(info[0], "pieces"));
  std::vector<TokenSpan> pieces;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pieces.push_back(int32ArrayArg(values[i], "pieces[" + std::to_string(i) + "]"));
  }
  std::optional<std::uint32_t> base;
  if (!info[1].IsUndefined()) base = indexArg(info[1], "base");
  return PromptObject::create(info.Env(), session().prompt(pieces, base));
}

Napi::Value SessionObject::record(const Napi::CallbackInfo& info) {
  const Napi::Object input = objectArg(info[0], "input");
  const Napi::Value prompt = input.Get("prompt");
  const Napi::Value generation = input.Get("generation");
  const Napi::Value digests = input.Get("digests");
  const std::vector<std::string> output = utf16ListArg(input.Get("output"), "output");
  const Napi::Value parent = input.Get("parent");
  std::optional<std::int32_t> fixed;
  if (!parent.IsUndefined()) fixed = static_cast<std::int32_t>(integerArg(parent, "parent", -1, 0x7fffffff));

  GenerationObject& consumed = GenerationObject::fromArg(generation, "generation");
  const Interaction& made = session().record({PromptObject::fromArg(prompt, "prompt").prompt(), consumed.generation(),
                                              digestsArg(digests, "digests"), output, fixed});
  consumed.consume();

  const Napi::Object result = Napi::Object::New(info.Env());
  result.Set("index", Napi::Number::New(info.Env(), made.index));
  result.Set("parent", Napi::Number::New(info.Env(), made.parentIndex()));
  result.Set("tokenExact", Napi::Boolean::New(info.Env(), made.tokenExact));
  result.Set("sharedTokens", Napi::Number::New(info.Env(), made.shared));
  return result;
}

Napi::Value SessionObject::drop(const Napi::CallbackInfo& info) {
  session().drop(indexArg(info[0], "index"));
  return info.Env().Undefined();
}

Napi::Value SessionObject::setReward(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "index");
  session().setReward(index, numberArg(info[1], "reward"));
  return info.Env().Undefined();
}

Napi::Value SessionObject::interaction(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "index");
  const Interaction& at = session().interaction(index);
  const InteractionState& state = session().state(index);
  const Napi::Env env = info.Env();
  const Napi::Object object = Napi::Object::New(env);
  object.Set("parent", Napi::Number::New(env, at.parentIndex()));
  object.Set("tokenExact", Napi::Boolean::New(env, at.tokenExact));
  object.Set("promptTokens", Napi::Number::New(env, at.inputLength));
  object.Set("completionTokens", Napi::Number::New(env, at.outputLength));
  object.Set("sharedTokens", Napi::Number::New(env, at.shared));
  object.Set("ownReward", state.ownReward ? Napi::Number::New(env, *state.ownReward) : env.Undefined());
  object.Set("children", Napi::Number::New(env, state.children));
  object.Set("dropped", Napi::Boolean::New(env, state.dropped));
  return object;
}

Napi::Value SessionObject::discountedRewards(const Napi::CallbackInfo& info) {
  const std::vector<double> rewards = session().discountedRewards(numberArg(info[0], "discount"));
  auto array = newArray<float>(info.Env(), rewards.size());
  float* const to = array.Data();
  for (std::size_t i = 0; i < rewards.size(); ++i) to[i] = finalReward(rewards[i], i);
  return array;
}

Napi::Value SessionObject::release(const Napi::CallbackInfo& info) {
  session_.reset();
  return info.Env().Undefined();
}

}  // namespace rolltape::binding
