#include "buffers.h"

#include "args.h"
#include "block_view.h"
#include "errors.h"

namespace rolltape::binding {

Napi::ArrayBuffer newArrayBuffer(Napi::Env env, std::size_t bytes) {
  if (bytes <= kLargestEngineBuffer) return Napi::ArrayBuffer::New(env, bytes);
  return viewBlock(env, std::make_shared<HeldBlock>(HeldBlock{std::make_unique<HeapBlock>(bytes)}), {0, bytes});
}

Napi::Value bufferOf(Napi::Env env, HeapBlock block) {
  auto owner = std::make_unique<HeapBlock>(std::move(block));
  HeapBlock* const held = owner.get();
  const Napi::Value buffer = Napi::Buffer<std::uint8_t>::NewOrCopy(
      env, held->data(), held->size(), [](Napi::BasicEnv, std::uint8_t*, HeapBlock* block) { delete block; }, held);
  owner.release();
  return buffer;
}

Napi::Value freeBytes(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return guarded(env, [&]() -> Napi::Value {
    if (!info[0].IsTypedArray()) throwInvalid("bytes", "a Uint8Array");
    const auto view = info[0].As<Napi::TypedArray>();
    Napi::ArrayBuffer memory = view.ArrayBuffer();
    // A part of larger memory, such as Node's pool of small buffers, has other users.
    const bool isWhole = view.ByteLength() == memory.ByteLength();
    return Napi::Boolean::New(env, isWhole && napi_detach_arraybuffer(env, memory) == napi_ok);
  });
}

}  // namespace rolltape::binding
