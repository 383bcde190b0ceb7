#pragma once

#include <memory>

#include "../memory/heap_block.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// A block as an ArrayBuffer over its memory, or over a copy where the runtime forbids foreign memory (Electron). The
/// block is freed when both the caller and the ArrayBuffer have let go of it.
Napi::ArrayBuffer viewBlock(Napi::Env env, const std::shared_ptr<HeapBlock>& block);

}  // namespace rolltape::binding
