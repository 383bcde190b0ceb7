#include "block_view.h"

#include <cstring>

namespace rolltape::binding {

Napi::ArrayBuffer viewBlock(Napi::Env env, const std::shared_ptr<HeldBlock>& held, BlockRange range) {
  std::uint8_t* const data = held->block->data() + range.begin;
  const std::size_t size = range.end - range.begin;
  auto owner = std::make_unique<std::shared_ptr<HeldBlock>>(held);
  const auto finalize = [](napi_env, void*, void* hint) { delete static_cast<std::shared_ptr<HeldBlock>*>(hint); };
  napi_value value = nullptr;
  const napi_status status = napi_create_external_arraybuffer(env, data, size, finalize, owner.get(), &value);
  if (status == napi_ok) {
    owner.release();
    return Napi::ArrayBuffer(env, value);
  }
  if (status != napi_no_external_buffers_allowed) throw Napi::Error::New(env);
  Napi::ArrayBuffer copy = Napi::ArrayBuffer::New(env, size);
  std::memcpy(copy.Data(), data, size);
  return copy;
}

}  // namespace rolltape::binding
