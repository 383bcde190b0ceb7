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
  auto* text = new HeapBlock(std::move(text_));
  return Napi::Buffer<std::uint8_t>::NewOrCopy(
      Env(), text->data(), text->size(), [](Napi::BasicEnv, std::uint8_t*, HeapBlock* block) { delete block; }, text);
}

}  // namespace rolltape::binding
