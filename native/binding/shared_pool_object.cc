#include "shared_pool_object.h"

#include <chrono>

#include "addon_data.h"
#include "promise_worker.h"

namespace rolltape::binding {

namespace {

/// The largest integer that a JavaScript number holds with all below it.
constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 53) - 1;

SharedPoolOptions poolOptionsArg(Napi::Value value) {
  const Napi::Object object = objectArg(value, "options");
  SharedPoolOptions options;
  options.directory = utf8Arg(object.Get("directory"), "options.directory");
  options.maxBytes = static_cast<std::uint64_t>(integerArg(object.Get("maxBytes"), "options.maxBytes", 1, kMaxInteger));
  const Napi::Value pinned = object.Get("pinned");
  if (pinned.IsUndefined()) return options;
  if (!pinned.IsBoolean()) throwInvalid("options.pinned", "a boolean");
  if (pinned.As<Napi::Boolean>().Value()) options.lock = addonData(value.Env()).memory.cuda;
  return options;
}

class ReserveWorker : public PromiseWorker {
 public:
  ReserveWorker(Napi::Env env, std::shared_ptr<SharedPool> pool, std::uint64_t bytes)
      : PromiseWorker(env, "rolltape.reserve"), pool_(std::move(pool)), bytes_(bytes) {}

 private:
  void work() override { pool_->allocate(bytes_).reset(); }
  Napi::Value result() override { return Env().Undefined(); }

  std::shared_ptr<SharedPool> pool_;
  std::uint64_t bytes_;
};

}  // namespace

Napi::Function SharedPoolObject::define(Napi::Env env) {
  using Self = SharedPoolObject;
  return DefineClass(env, kClassName,
                     {guardedGetter<&Self::use>("use"), promiseMethod<&Self::reserve>("reserve"),
                      guardedMethod<&Self::trim>("trim"), guardedMethod<&Self::close>("close")});
}

SharedPoolObject::SharedPoolObject(const Napi::CallbackInfo& info)
    : Wrapped(info), pool_(guarded(info.Env(), [&] { return SharedPool::open(poolOptionsArg(info[0])); })) {}

Napi::Value SharedPoolObject::use(const Napi::CallbackInfo& info) {
  const SharedPoolUse use = pool_->use();
  const Napi::Object answer = Napi::Object::New(info.Env());
  answer.Set("bytes", Napi::Number::New(info.Env(), static_cast<double>(use.bytes)));
  answer.Set("freeSlots", Napi::Number::New(info.Env(), static_cast<double>(use.freeSlots)));
  answer.Set("lentSlots", Napi::Number::New(info.Env(), static_cast<double>(use.lentSlots)));
  return answer;
}

Napi::Value SharedPoolObject::reserve(const Napi::CallbackInfo& info) {
  const std::int64_t bytes = integerArg(info[0], "bytes", 0, kMaxInteger);
  return PromiseWorker::start(new ReserveWorker(info.Env(), pool_, static_cast<std::uint64_t>(bytes)));
}

Napi::Value SharedPoolObject::trim(const Napi::CallbackInfo& info) {
  const std::int64_t unused = integerArg(info[0], "unusedMilliseconds", 0, kMaxInteger);
  // An age that the clock cannot subtract is older than everything.
  const auto now = SharedPool::Clock::now();
  const auto age = std::min<std::chrono::milliseconds>(
      std::chrono::milliseconds(unused), std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()));
  pool_->trim(now - age);
  return info.Env().Undefined();
}

Napi::Value SharedPoolObject::close(const Napi::CallbackInfo& info) {
  pool_->close();
  return info.Env().Undefined();
}

}  // namespace rolltape::binding
