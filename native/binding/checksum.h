#pragma once

#include "napi_setup.h"

namespace rolltape::binding {

/// crc32c(bytes, seed): see src/native/contract.ts.
Napi::Value computeCrc32c(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
