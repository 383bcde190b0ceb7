#include "memory_sources.h"

#include "../memory/cuda_library.h"
#include "../memory/heap_block.h"

namespace rolltape::binding {

MemorySources::MemorySources()
    : heap(WarmPool::create(std::make_shared<HeapSource>())),
      cuda(CudaHostMemory::create([] { return openCudaLibrary(); })),
      pinned(WarmPool::create(cuda)) {}

}  // namespace rolltape::binding
