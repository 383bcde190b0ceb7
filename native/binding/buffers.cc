#include "buffers.h"

#include "block_view.h"

namespace rolltape::binding {

Napi::ArrayBuffer newArrayBuffer(Napi::Env env, std::size_t bytes) {
  if (bytes <= kLargestEngineBuffer) return Napi::ArrayBuffer::New(env, bytes);
  return viewBlock(env, std::make_shared<HeldBlock>(HeldBlock{std::make_unique<HeapBlock>(bytes)}));
}

Napi::Value bufferOf(Napi::Env env, HeapBlock block) {
  auto owner = std::make_unique<HeapBlock>(std::move(block));
  HeapBlock* const held = owner.get();
  const Napi::Value buffer = Napi::Buffer<std::uint8_t>::NewOrCopy(
      env, held->data(), held->size(), [](Napi::BasicEnv, std::uint8_t*, HeapBlock* block) { delete block; }, held);
  owner.release();
  return buffer;
}

}  // namespace rolltape::binding
