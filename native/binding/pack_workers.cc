#include "pack_workers.h"

#include <algorithm>

#include "../core/base/parallel.h"
#include "../core/batch/pack/json.h"
#include "batch_object.h"
#include "buffers.h"

namespace rolltape::binding {

void PackWorker::work() {
  layout_ = layoutBatch(*plan_, metadata_);
  block_ = options_.memory->allocate(layout_.totalBytes);
  const std::size_t worth = threadsFor(layout_.totalBytes);
  writeBatch(*plan_, layout_, reinterpret_cast<std::byte*>(block_->data()),
             static_cast<unsigned>(std::min<std::size_t>(options_.threads, worth)));
  block_->publish();
}

Napi::Value PackWorker::result() {
  return BatchObject::create(Env(), std::move(block_), layout_.tensors);
}

void PackJsonWorker::work() {
  text_ = rolltape::packJson(*plan_, parts_);
}

Napi::Value PackJsonWorker::result() {
  return bufferOf(Env(), std::move(text_));
}

}  // namespace rolltape::binding
