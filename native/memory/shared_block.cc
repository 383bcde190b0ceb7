#include "shared_block.h"

#include "../core/base/error.h"

namespace rolltape {

SharedBlock::~SharedBlock() {
  pool_->giveBack(std::move(slot_), acknowledged_ || !published_);
}

void SharedBlock::publish() {
  if (published_) return;
  if (!slot_->rename(pool_->nextName(".safetensors"))) {
    throw Error(ErrorCode::kSharedUnavailable, "the shared file was moved or removed while it was written");
  }
  published_ = true;
}

}  // namespace rolltape
