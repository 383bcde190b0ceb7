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
  threads_ = static_cast<unsigned>(std::min<std::size_t>(options_.threads, threadsFor(layout_.totalBytes)));
  auto* const bytes = reinterpret_cast<std::byte*>(block_->data());
  const bool isStaged = block_->kind() == BlockKind::kHeap && layout_.totalBytes >= options_.stagedFrom;
  if (isStaged) written_ = writeFirst(*plan_, layout_, bytes, threads_);
  if (written_ > 0) return;
  writeBatch(*plan_, layout_, bytes, threads_);
  written_ = layout_.totalBytes;
  block_->publish();
}

Napi::Value PackWorker::result() {
  const std::vector<TensorPlace> tensors = layout_.tensors;
  std::optional<UnwrittenRest> rest;
  if (written_ < layout_.totalBytes) rest = UnwrittenRest{plan_, std::move(layout_), threads_};
  return BatchObject::create(Env(), std::move(block_), tensors, written_, std::move(rest));
}

void RestWorker::work() {
  writeRest(*rest_.plan, rest_.layout, reinterpret_cast<std::byte*>(held_->block->data()), rest_.threads);
}

void RestWorker::settle() {
  held_->isWritten = false;
  if (held_->isReleased) held_->block.reset();
}

Napi::Value RestWorker::result() {
  return Env().Undefined();
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
