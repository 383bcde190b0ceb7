#pragma once

#include "napi_setup.h"

namespace rolltape::binding {

/// The addon's findJsonExcess(json, limits).
Napi::Value findJsonExcessNow(const Napi::CallbackInfo& info);

/// The addon's findJsonExcessAsync(json, limits), on a worker thread.
Napi::Value findJsonExcessAsync(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
