#include "heap_block.h"

#include <string>

#include "../core/base/size.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rolltape {

namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kHugePage = 2 << 20;

}  // namespace

HeapBlock::HeapBlock(std::uint64_t bytes) : size_(bytes) {
  requireBlockSize(bytes);
  const std::uint64_t alignment = bytes >= 2 * kHugePage ? kHugePage : kAlignment;
  const std::uint64_t rounded = checkedRoundUp(bytes == 0 ? 1 : bytes, alignment);
  data_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(alignment, rounded)));
  if (!data_) {
    throw Error(ErrorCode::kOutOfMemory, "a block of " + std::to_string(bytes) + " bytes could not be allocated");
  }
#ifdef __linux__
  // Touching fresh memory page by page costs several times what writing it does. Advice only: it may be refused.
  if (alignment == kHugePage) madvise(data_.get(), rounded, MADV_HUGEPAGE);
#endif
}

}  // namespace rolltape
