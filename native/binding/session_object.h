#pragma once

#include <memory>

#include "../core/session/session.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeSession.
class SessionObject : public Wrapped<SessionObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x2f8ad3a1b2a04b0c, 0xb1f3f6b5c0e84d9e};
  static constexpr const char* kClassName = "NativeSession";

  static Napi::Function define(Napi::Env env);

  explicit SessionObject(const Napi::CallbackInfo& info);
  /// @throws Error kReleased after release().
  Session& session();
  /// Replaces the empty session with a restored one. @throws Error kReleased after release(), kInvalidArg if there are
  /// interactions already.
  void adopt(std::unique_ptr<Session> session);

 private:
  Napi::Value length(const Napi::CallbackInfo& info);
  Napi::Value byteLength(const Napi::CallbackInfo& info);
  Napi::Value findParent(const Napi::CallbackInfo& info);
  Napi::Value findSequence(const Napi::CallbackInfo& info);
  Napi::Value olderTwin(const Napi::CallbackInfo& info);
  Napi::Value prompt(const Napi::CallbackInfo& info);
  Napi::Value promptSharing(const Napi::CallbackInfo& info);
  Napi::Value sharedLength(const Napi::CallbackInfo& info);
  Napi::Value record(const Napi::CallbackInfo& info);
  Napi::Value serialize(const Napi::CallbackInfo& info);
  Napi::Value restore(const Napi::CallbackInfo& info);
  Napi::Value restoreAsync(const Napi::CallbackInfo& info);
  Napi::Value declareChannel(const Napi::CallbackInfo& info);
  Napi::Value addChannel(const Napi::CallbackInfo& info);
  Napi::Value listMissing(const Napi::CallbackInfo& info);
  Napi::Value countMissing(const Napi::CallbackInfo& info);
  Napi::Value serializeAdded(const Napi::CallbackInfo& info);
  Napi::Value allItems(const Napi::CallbackInfo& info);
  Napi::Value setSessionReward(const Napi::CallbackInfo& info);
  Napi::Value setReward(const Napi::CallbackInfo& info);
  Napi::Value interaction(const Napi::CallbackInfo& info);
  Napi::Value output(const Napi::CallbackInfo& info);
  Napi::Value versionRange(const Napi::CallbackInfo& info);
  Napi::Value discountedRewards(const Napi::CallbackInfo& info);
  Napi::Value release(const Napi::CallbackInfo& info);
  void requireEmpty();

  std::unique_ptr<Session> session_;
};

}  // namespace rolltape::binding
