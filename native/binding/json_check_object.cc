#include "json_check_object.h"

#include <limits>
#include <optional>
#include <utility>

#include "held_bytes.h"
#include "promise_worker.h"

namespace rolltape::binding {

namespace {

constexpr std::int64_t kMostCounted = std::numeric_limits<std::uint32_t>::max();

JsonLimits limitsArg(Napi::Value value) {
  const Napi::Object from = objectArg(value, "limits");
  const auto count = [](Napi::Value value, const std::string& name) {
    return static_cast<std::uint64_t>(integerArg(value, name, 0, kMostCounted));
  };
  JsonLimits limits;
  limits.depth = integerArg(from.Get("depth"), "limits.depth", 1, JsonLimits::kMaxDepth);
  limits.values = count(from.Get("values"), "limits.values");
  limits.keys = count(from.Get("keys"), "limits.keys");
  const Napi::Object lists = objectArg(from.Get("lists"), "limits.lists");
  const Napi::Array names = lists.GetPropertyNames();
  for (std::uint32_t i = 0; i < names.Length(); ++i) {
    std::string name = utf8Arg(names.Get(i), "limits.lists");
    const std::uint64_t items = count(lists.Get(name), "limits.lists." + name);
    limits.lists.push_back({std::move(name), items});
  }
  return limits;
}

const char* limitName(JsonExcess::Limit limit) {
  switch (limit) {
    case JsonExcess::Limit::kDepth:
      return "depth";
    case JsonExcess::Limit::kValues:
      return "values";
    case JsonExcess::Limit::kKeys:
      return "keys";
    case JsonExcess::Limit::kItems:
      return "items";
    case JsonExcess::Limit::kWord:
      return "word";
    case JsonExcess::Limit::kPrototype:
      return "prototype";
  }
  return "";
}

Napi::Value toJs(Napi::Env env, const std::optional<JsonExcess>& excess) {
  if (!excess) return env.Undefined();
  Napi::Object object = Napi::Object::New(env);
  object.Set("limit", limitName(excess->limit));
  object.Set("allowed", static_cast<double>(excess->allowed));
  if (excess->limit == JsonExcess::Limit::kItems) object.Set("list", excess->list);
  return object;
}

class ExcessWorker : public PromiseWorker {
 public:
  ExcessWorker(Napi::Env env, Napi::Value json, JsonLimits limits)
      : PromiseWorker(env, "rolltape.findJsonExcess"), json_(json, "json"), limits_(std::move(limits)) {}

 private:
  void work() override { excess_ = findJsonExcess(json_.bytes(), limits_); }
  Napi::Value result() override {
    json_.requireUntouched();
    return toJs(Env(), excess_);
  }

  HeldBytes json_;
  JsonLimits limits_;
  std::optional<JsonExcess> excess_;
};

}  // namespace

Napi::Function JsonCheckObject::define(Napi::Env env) {
  using Self = JsonCheckObject;
  return DefineClass(
      env, kClassName,
      {guardedMethod<&Self::findExcess>("findExcess"), promiseMethod<&Self::findExcessAsync>("findExcessAsync")});
}

JsonCheckObject::JsonCheckObject(const Napi::CallbackInfo& info)
    : Wrapped(info), limits_(guarded(info.Env(), [&] { return limitsArg(info[0]); })) {}

Napi::Value JsonCheckObject::findExcess(const Napi::CallbackInfo& info) {
  return toJs(info.Env(), findJsonExcess(bytesArg(info[0], "json"), limits_));
}

Napi::Value JsonCheckObject::findExcessAsync(const Napi::CallbackInfo& info) {
  return PromiseWorker::start(new ExcessWorker(info.Env(), info[0], limits_));
}

}  // namespace rolltape::binding
