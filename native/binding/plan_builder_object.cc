#include "plan_builder_object.h"

#include <utility>

#include "plan_object.h"
#include "plan_options.h"
#include "session_object.h"

namespace rolltape::binding {

namespace {

constexpr std::int64_t kMostInteractions = std::int64_t{1} << 32;

std::vector<std::uint32_t> optionalIndicesArg(Napi::Value value, const std::string& name) {
  if (value.IsUndefined()) return {};
  const auto indices = uint32ArrayArg(value, name);
  return {indices.begin(), indices.end()};
}

}  // namespace

Napi::Function PlanBuilderObject::define(Napi::Env env) {
  using Self = PlanBuilderObject;
  return DefineClass(env, kClassName,
                     {guardedMethod<&Self::add>("add"), guardedMethod<&Self::addEpisode>("addEpisode"),
                      guardedMethod<&Self::finish>("finish")});
}

PlanBuilderObject::PlanBuilderObject(const Napi::CallbackInfo& info) : Wrapped(info) {
  guarded(info.Env(), [&] {
    const PlanOptions options = planOptionsArg(info[0]);
    const std::int64_t interactions =
        info[1].IsUndefined() ? 0 : integerArg(info[1], "interactions", 0, kMostInteractions);
    builder_ = std::make_unique<PlanBuilder>(options, static_cast<std::size_t>(interactions));
    return info.Env().Undefined();
  });
}

PlanBuilder& PlanBuilderObject::builder() const {
  if (!builder_) throw Error(ErrorCode::kReleased, "the plan is finished, or a session could not be added");
  return *builder_;
}

Napi::Value PlanBuilderObject::add(const Napi::CallbackInfo& info) {
  builder();
  PlannedSession planned{&SessionObject::fromArg(info[0], "session").session()};
  planned.leftOut = optionalIndicesArg(info[1], "leftOut");
  planned.filtered = optionalIndicesArg(info[2], "filtered");
  if (!info[3].IsUndefined()) planned.group = indexArg(info[3], "group");
  planned.limits = optionalIndicesArg(info[4], "limits");
  // A session that was added in part must not reach a plan.
  std::unique_ptr<PlanBuilder> current = std::move(builder_);
  current->add(planned);
  builder_ = std::move(current);
  return info.Env().Undefined();
}

Napi::Value PlanBuilderObject::addEpisode(const Napi::CallbackInfo& info) {
  builder();
  const Napi::Object object = objectArg(info[0], "episode");
  const Napi::Value group = info[1];
  const PlanEpisode episode{.group = group.IsUndefined() ? PlannedSession::kNoGroup : indexArg(group, "group"),
                            .hasReward = booleanArg(object.Get("hasReward"), "episode.hasReward"),
                            .rows = indexArg(object.Get("rows"), "episode.rows"),
                            .reward = numberArg(object.Get("reward"), "episode.reward"),
                            .discountedReturn = numberArg(object.Get("discountedReturn"), "episode.discountedReturn")};
  // Reading the properties may have run JavaScript that finished the plan.
  builder();
  // As in add().
  std::unique_ptr<PlanBuilder> current = std::move(builder_);
  current->addEpisode(episode);
  builder_ = std::move(current);
  return info.Env().Undefined();
}

Napi::Value PlanBuilderObject::finish(const Napi::CallbackInfo& info) {
  builder();
  const std::unique_ptr<PlanBuilder> last = std::move(builder_);
  return PlanObject::create(info.Env(), last->finish());
}

}  // namespace rolltape::binding
