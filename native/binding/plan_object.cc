#include "plan_object.h"

#include <algorithm>
#include <limits>

#include "addon_data.h"
#include "buffers.h"
#include "memory_arg.h"
#include "metadata_arg.h"
#include "pack_workers.h"
#include "plan_options.h"
#include "session_object.h"

namespace rolltape::binding {

namespace {

template <typename Array, typename Value>
void setColumn(Napi::Object columns, const char* name, std::span<const PlanRow> rows, Value value) {
  Array column = Array::New(columns.Env(), rows.size());
  std::ranges::transform(rows, column.Data(), value);
  columns.Set(name, column);
}

Napi::Object rowsToJs(Napi::Env env, std::span<const PlanRow> rows) {
  const Napi::Object columns = Napi::Object::New(env);
  columns.Set("length", Napi::Number::New(env, static_cast<double>(rows.size())));
  setColumn<Napi::Uint32Array>(columns, "sessions", rows, [](const PlanRow& row) { return row.session; });
  setColumn<Napi::Uint32Array>(columns, "interactions", rows,
                               [](const PlanRow& row) { return row.interaction->index; });
  setColumn<Napi::Uint32Array>(columns, "lengths", rows, [](const PlanRow& row) { return row.length; });
  setColumn<Napi::Float64Array>(columns, "rewards", rows, [](const PlanRow& row) { return row.reward; });
  setColumn<Napi::Uint8Array>(columns, "uncountedRewards", rows,
                              [](const PlanRow& row) { return static_cast<std::uint8_t>(row.uncountedRewards); });
  return columns;
}

Napi::Array mismatchesToJs(Napi::Env env, std::span<const ConcatMismatch> mismatches) {
  const Napi::Array array = Napi::Array::New(env, mismatches.size());
  for (std::uint32_t i = 0; i < mismatches.size(); ++i) {
    const Napi::HandleScope scope(env);
    const ConcatMismatch& at = mismatches[i];
    const Napi::Object mismatch = Napi::Object::New(env);
    mismatch.Set("session", Napi::Number::New(env, at.session));
    mismatch.Set("parent", Napi::Number::New(env, at.parent));
    mismatch.Set("child", Napi::Number::New(env, at.child));
    mismatch.Set("position", Napi::Number::New(env, at.position));
    mismatch.Set("parentToken", Napi::Number::New(env, at.parentToken));
    mismatch.Set("childToken", Napi::Number::New(env, at.childToken));
    array.Set(i, mismatch);
  }
  return array;
}

Napi::Array shapeToJs(Napi::Env env, const Plan& plan) {
  const Napi::Array shape = Napi::Array::New(env, 2);
  shape.Set(0u, Napi::Number::New(env, static_cast<double>(plan.shape().rows)));
  shape.Set(1u, Napi::Number::New(env, static_cast<double>(plan.shape().length)));
  return shape;
}

Napi::Object unrewardedToJs(Napi::Env env, const UnrewardedRoots& roots) {
  const Napi::Array first = Napi::Array::New(env, roots.first.size());
  for (std::uint32_t i = 0; i < roots.first.size(); ++i) {
    const Napi::Object root = Napi::Object::New(env);
    root.Set("session", Napi::Number::New(env, roots.first[i].session));
    root.Set("interaction", Napi::Number::New(env, roots.first[i].interaction));
    first.Set(i, root);
  }
  const Napi::Object object = Napi::Object::New(env);
  object.Set("count", Napi::Number::New(env, static_cast<double>(roots.count)));
  object.Set("first", first);
  return object;
}

Napi::Array indicesToJs(Napi::Env env, std::span<const std::uint32_t> indices) {
  const Napi::Array array = Napi::Array::New(env, indices.size());
  for (std::uint32_t i = 0; i < indices.size(); ++i) array.Set(i, Napi::Number::New(env, indices[i]));
  return array;
}

void defineResults(Napi::Object object, const Plan& plan) {
  const Napi::Env env = object.Env();
  using Property = Napi::PropertyDescriptor;
  object.DefineProperties(
      {Property::Value("rows", rowsToJs(env, plan.rows()), napi_enumerable),
       Property::Value("mismatches", mismatchesToJs(env, plan.mismatches()), napi_enumerable),
       Property::Value("unrewardedRoots", unrewardedToJs(env, plan.unrewardedRoots()), napi_enumerable),
       Property::Value("filteredCount", Napi::Number::New(env, static_cast<double>(plan.filteredCount())),
                       napi_enumerable),
       Property::Value("rewardsFiltered", indicesToJs(env, plan.rewardsFiltered()), napi_enumerable),
       Property::Value("overflows", rowsToJs(env, plan.overflows()), napi_enumerable),
       Property::Value("shape", shapeToJs(env, plan), napi_enumerable),
       Property::Value("tokens", Napi::Number::New(env, static_cast<double>(plan.shape().tokens)), napi_enumerable),
       Property::Value("maxShards", Napi::Number::New(env, static_cast<double>(plan.maxShards())), napi_enumerable),
       Property::Value("byteLength", Napi::Number::New(env, static_cast<double>(plan.byteLength())), napi_enumerable)});
}

PackOptions packOptionsArg(Napi::Value value) {
  const Napi::Env env = value.Env();
  const Napi::Object object = value.IsUndefined() ? Napi::Object::New(env) : objectArg(value, "options");
  PackOptions options{std::numeric_limits<unsigned>::max(), memoryArg(object.Get("memory"), "options.memory")};
  const Napi::Value threads = object.Get("threads");
  if (!threads.IsUndefined()) options.threads = static_cast<unsigned>(integerArg(threads, "options.threads", 1, 1024));
  const Napi::Value stripes = object.Get("stripes");
  if (!stripes.IsUndefined()) {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const Napi::Object striped = objectArg(stripes, "options.stripes");
    options.stripedFrom = static_cast<std::uint64_t>(integerArg(striped.Get("from"), "options.stripes.from", 0, kMost));
    options.firstStripe =
        static_cast<std::uint64_t>(integerArg(striped.Get("first"), "options.stripes.first", 1, kMost));
  }
  return options;
}

/// Reads an optional list with at most one entry for each session.
std::vector<Napi::Value> perSessionArg(Napi::Value value, const std::string& name, std::size_t sessions) {
  if (value.IsUndefined()) return {};
  std::vector<Napi::Value> entries = itemsOf(arrayArg(value, name));
  if (entries.size() > sessions) throwInvalid(name, "no more entries than there are sessions");
  return entries;
}

/// Returns the indices of one session; none if its entry is absent or undefined.
std::vector<std::uint32_t> indicesArg(const std::vector<Napi::Value>& entries, std::size_t at,
                                      const std::string& name) {
  if (at >= entries.size() || entries[at].IsUndefined()) return {};
  const auto indices = uint32ArrayArg(entries[at], name + "[" + std::to_string(at) + "]");
  return {indices.begin(), indices.end()};
}

}  // namespace

Napi::Function PlanObject::define(Napi::Env env) {
  return DefineClass(env, kClassName,
                     {promiseMethod<&PlanObject::pack>("pack"), promiseMethod<&PlanObject::packJson>("packJson"),
                      guardedMethod<&PlanObject::shards>("shards"), guardedMethod<&PlanObject::episodes>("episodes"),
                      guardedMethod<&PlanObject::episode>("episode")});
}

Napi::Value PlanObject::planBatch(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::vector<Napi::Value> values = itemsOf(arrayArg(info[0], "sessions"));
    const PlanOptions options = planOptionsArg(info[1]);
    const std::vector<Napi::Value> leftOut = perSessionArg(info[2], "leftOut", values.size());
    const std::vector<Napi::Value> filtered = perSessionArg(info[3], "filtered", values.size());
    std::vector<PlannedSession> sessions;
    sessions.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string name = "sessions[" + std::to_string(i) + "]";
      PlannedSession& planned = sessions.emplace_back();
      planned.session = &SessionObject::fromArg(values[i], name).session();
      planned.leftOut = indicesArg(leftOut, i, "leftOut");
      planned.filtered = indicesArg(filtered, i, "filtered");
    }
    return create(info.Env(), Plan(sessions, options));
  });
}

Napi::Object PlanObject::create(Napi::Env env, Plan&& plan) {
  const Napi::Object object = addonData(env).plan.New({});
  defineResults(object, plan);
  Unwrap(object)->plan_ = std::make_shared<const Plan>(std::move(plan));
  return object;
}

const std::shared_ptr<const Plan>& PlanObject::plan() const {
  if (!plan_) throw Error(ErrorCode::kInvalidArg, "plans come from planBatch");
  return plan_;
}

Napi::Value PlanObject::shards(const Napi::CallbackInfo& info) {
  std::vector<Plan> shards = plan()->shards(static_cast<std::uint32_t>(integerArg(info[0], "count", 1, 1 << 20)));
  const Napi::Array array = Napi::Array::New(info.Env(), shards.size());
  for (std::uint32_t i = 0; i < shards.size(); ++i) {
    const Napi::HandleScope scope(info.Env());
    array.Set(i, create(info.Env(), std::move(shards[i])));
  }
  return array;
}

Napi::Value PlanObject::episodes(const Napi::CallbackInfo& info) {
  return copyToJs(info.Env(), plan()->listedSessions());
}

Napi::Value PlanObject::episode(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "session");
  const std::span<const PlanEpisode> episodes = plan()->episodes();
  if (index >= episodes.size()) throwInvalid("session", "the index of a planned session");
  const PlanEpisode& episode = episodes[index];
  const Napi::Object object = Napi::Object::New(info.Env());
  object.Set("hasReward", episode.hasReward);
  object.Set("rows", episode.rows);
  object.Set("reward", episode.reward);
  object.Set("discountedReturn", episode.discountedReturn);
  return object;
}

Napi::Value PlanObject::pack(const Napi::CallbackInfo& info) {
  const PackOptions options = packOptionsArg(info[1]);
  const Napi::Value tensors =
      info[1].IsUndefined() ? info.Env().Undefined() : objectArg(info[1], "options").Get("tensors");
  return PromiseWorker::start(new PackWorker(info.Env(), plan(), MetadataArg(info[0], "metadata"),
                                             TensorsArg(tensors, "options.tensors"), options));
}

Napi::Value PlanObject::packJson(const Napi::CallbackInfo& info) {
  return PromiseWorker::start(new PackJsonWorker(info.Env(), plan(), utf8ListArg(info[0], "parts")));
}

}  // namespace rolltape::binding
