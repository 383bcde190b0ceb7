#pragma once

#include <memory>

#include "../memory/block.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// A block that a batch and its view share, so that either may be collected first and the batch can free it at once.
struct HeldBlock {
  std::unique_ptr<Block> block;
  /// A worker thread writes to the block: it must be freed later.
  bool isWritten = false;
  /// The batch was released while a worker thread wrote.
  bool isReleased = false;

  /// Frees the block, now or when no worker thread writes to it any more.
  void release() {
    isReleased = true;
    if (!isWritten) block.reset();
  }
};

/// A part of a block.
struct BlockRange {
  std::size_t begin;
  std::size_t end;
};

/// A part of a block as an ArrayBuffer over its memory, or over a copy where the runtime forbids foreign memory
/// (Electron). The ArrayBuffer holds the block.
Napi::ArrayBuffer viewBlock(Napi::Env env, const std::shared_ptr<HeldBlock>& held, BlockRange range);

}  // namespace rolltape::binding
