#pragma once

#include "napi_setup.h"

namespace rolltape::binding {

/// The addon's duplicateFile(descriptor).
Napi::Value duplicateFile(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
