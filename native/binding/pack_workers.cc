#include "pack_workers.h"

#include "../core/pack_json.h"
#include "batch_object.h"

namespace rolltape::binding {

Napi::Value PackWorker::result() {
  return BatchObject::create(Env(), std::move(packed_));
}

void PackJsonWorker::work() {
  text_ = rolltape::packJson(*plan_, parts_);
}

Napi::Value PackJsonWorker::result() {
  auto owner = std::make_unique<HeapBlock>(std::move(text_));
  HeapBlock* text = owner.get();
  const Napi::Value buffer = Napi::Buffer<std::uint8_t>::NewOrCopy(
      Env(), text->data(), text->size(), [](Napi::BasicEnv, std::uint8_t*, HeapBlock* block) { delete block; }, text);
  owner.release();
  return buffer;
}

}  // namespace rolltape::binding
