#include "pack_workers.h"

#include <algorithm>

#include "../core/base/parallel.h"
#include "../core/batch/pack/json.h"
#include "batch_object.h"
#include "buffers.h"

namespace rolltape::binding {

void PackWorker::work() {
  layout_ = layoutBatch(*plan_, metadata_.take());
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
  const JsonBatch batch(*plan_, parts_);
  text_ = HeapBlock(batch.byteLength());
  batch.write(reinterpret_cast<char*>(text_.data()));
}

Napi::Value PackJsonWorker::result() {
  return bufferOf(Env(), std::move(text_));
}

}  // namespace rolltape::binding
