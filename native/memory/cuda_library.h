#pragma once

#include <memory>

#include "cuda_driver.h"

namespace rolltape {

/// NVIDIA's driver, found at run time: nothing of CUDA is needed to build this or to load it.
/// @param library a name for dlopen; null: what the process has loaded.
/// @throws Error kPinnedUnavailable where there is no such library, or it lacks a function.
std::unique_ptr<CudaDriver> openCudaLibrary(const char* library = "libcuda.so.1");

}  // namespace rolltape
