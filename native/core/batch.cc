#include "batch.h"

#include <cstring>

#include "pack_padded.h"

namespace rolltape {

BatchLayout layoutBatch(const Plan& plan, const Metadata& metadata) {
  plan.requirePackable();
  return layoutSafetensors(paddedSpecs(plan), metadata);
}

void writeBatch(const Plan& plan, const BatchLayout& layout, std::byte* block, unsigned threads) {
  std::memcpy(block, layout.header.data(), layout.header.size());
  writePadded(plan, layout, block, threads);
}

}  // namespace rolltape
