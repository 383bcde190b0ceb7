#pragma once

#include "napi_setup.h"

namespace rolltape::binding {

/// The addon's digestMessages(canonical, before, digestKey).
Napi::Value digestMessages(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
