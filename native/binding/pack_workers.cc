#include "pack_workers.h"

#include <algorithm>

#include "../core/base/parallel.h"
#include "../core/batch/pack/json.h"
#include "batch_object.h"
#include "buffers.h"

namespace rolltape::binding {

void PackWorker::work() {
  const std::vector<GivenTensor> given = given_.tensors();
  BatchLayout layout = layoutBatch(*plan_, metadata_.take(), given);
  tensors_ = layout.tensors;
  block_ = options_.memory->allocate(layout.totalBytes);
  auto* const bytes = reinterpret_cast<std::byte*>(block_->data());
  // Before the first stripe, because JavaScript may free their bytes when the batch is returned.
  writeGiven(given, layout, bytes);
  const bool isLarge = block_->kind() == BlockKind::kHeap && layout.totalBytes >= options_.stripedFrom;
  if (isLarge && StripeWriter::canWrite(*plan_)) {
    striped_ = std::make_shared<StripedBatch>(plan_, std::move(layout), bytes);
    striped_->writer.write(options_.firstStripe);
    return;
  }
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(options_.threads, threadsFor(layout.totalBytes)));
  writeBatch(*plan_, layout, bytes, threads);
  block_->publish();
}

Napi::Value PackWorker::result() {
  metadata_.requireUntouched();
  given_.requireUntouched();
  if (striped_) striped_->writtenBytes = striped_->writer.writtenBytes();
  return BatchObject::create(Env(), std::move(block_), tensors_, std::move(striped_));
}

void StripeWorker::work() {
  batch_->writer.write(bytes_);
}

void StripeWorker::settle() {
  batch_->writtenBytes = batch_->writer.writtenBytes();
  held_->isWritten = false;
  if (held_->isReleased) held_->block.reset();
}

Napi::Value StripeWorker::result() {
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
