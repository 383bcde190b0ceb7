#pragma once

#include "../core/base/siphash.h"
#include "memory_sources.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// What one instance of the addon (one per Node environment) has beside its objects.
struct AddonData {
  /// Key of the message digests of sessions without a key of their own. Random, so that no agent can make two message
  /// lists look alike.
  SipKey digestKey;
  Napi::FunctionReference prompt;
  Napi::FunctionReference plan;
  Napi::FunctionReference batch;
  MemorySources memory = {};
};

inline AddonData& addonData(Napi::Env env) {
  return *env.GetInstanceData<AddonData>();
}

}  // namespace rolltape::binding
