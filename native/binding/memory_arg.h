#pragma once

#include <memory>
#include <string>

#include "../memory/block.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// The memory that an argument names: "heap" (also where it is absent), "pinned", or a SharedPool.
std::shared_ptr<BlockSource> memoryArg(Napi::Value value, const std::string& name);

/// The addon's pinnedMemory().
Napi::Value pinnedMemory(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
