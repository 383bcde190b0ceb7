#pragma once

#include <memory>

#include "../memory/cuda_host_memory.h"
#include "../memory/warm_pool.h"

namespace rolltape::binding {

/// The memory that one Node environment packs into, beside the shared pools that it makes.
struct MemorySources {
  MemorySources();

  std::shared_ptr<WarmPool> heap;
  std::shared_ptr<CudaHostMemory> cuda;
  /// Of `cuda`: page-locking is slow, so that its blocks are worth keeping even more than those of the heap.
  std::shared_ptr<WarmPool> pinned;
};

}  // namespace rolltape::binding
