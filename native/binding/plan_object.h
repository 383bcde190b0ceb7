#pragma once

#include <memory>

#include "../core/batch/plan.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativePlan.
class PlanObject : public Wrapped<PlanObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x91b5d0a7e3c64a02, 0x8e44f1c2d7a95b36};
  static constexpr const char* kClassName = "NativePlan";

  static Napi::Function define(Napi::Env env);
  /// The addon's planBatch(sessions, options).
  static Napi::Value planBatch(const Napi::CallbackInfo& info);
  static Napi::Object create(Napi::Env env, Plan&& plan);

  using Wrapped::Wrapped;

 private:
  const std::shared_ptr<const Plan>& plan() const;
  Napi::Value shards(const Napi::CallbackInfo& info);
  Napi::Value episodes(const Napi::CallbackInfo& info);
  Napi::Value episode(const Napi::CallbackInfo& info);
  Napi::Value pack(const Napi::CallbackInfo& info);
  Napi::Value packJson(const Napi::CallbackInfo& info);

  std::shared_ptr<const Plan> plan_;
};

}  // namespace rolltape::binding
