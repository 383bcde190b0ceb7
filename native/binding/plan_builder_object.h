#pragma once

#include <memory>

#include "../core/batch/plan_builder.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativePlanBuilder.
class PlanBuilderObject : public Wrapped<PlanBuilderObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x3e0d92c15b7a4d18, 0xb6c4a7f09e2d5381};
  static constexpr const char* kClassName = "NativePlanBuilder";

  static Napi::Function define(Napi::Env env);

  explicit PlanBuilderObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value add(const Napi::CallbackInfo& info);
  Napi::Value addEpisode(const Napi::CallbackInfo& info);
  Napi::Value finish(const Napi::CallbackInfo& info);
  /// @throws Error kReleased after finish(), or after an add() that failed.
  PlanBuilder& builder() const;

  std::unique_ptr<PlanBuilder> builder_;
};

}  // namespace rolltape::binding
