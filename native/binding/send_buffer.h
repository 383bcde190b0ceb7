#pragma once

#include "napi_setup.h"

namespace rolltape::binding {

/// The addon's setSendBuffer(fd, bytes).
Napi::Value setSendBuffer(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
