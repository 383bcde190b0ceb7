#pragma once

#include "napi_setup.h"

namespace rolltape::binding {

/// The addon's dropCachedPages(path).
Napi::Value dropCachedPages(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
