#include "block_view.h"

#include <cstring>

namespace rolltape::binding {

Napi::ArrayBuffer viewBlock(Napi::Env env, const std::shared_ptr<HeldBlock>& held) {
  const Block& block = *held->block;
  auto owner = std::make_unique<std::shared_ptr<HeldBlock>>(held);
  const auto finalize = [](napi_env, void*, void* hint) { delete static_cast<std::shared_ptr<HeldBlock>*>(hint); };
  napi_value value = nullptr;
  const napi_status status =
      napi_create_external_arraybuffer(env, block.data(), block.size(), finalize, owner.get(), &value);
  if (status == napi_ok) {
    owner.release();
    return Napi::ArrayBuffer(env, value);
  }
  if (status != napi_no_external_buffers_allowed) throw Napi::Error::New(env);
  Napi::ArrayBuffer copy = Napi::ArrayBuffer::New(env, block.size());
  std::memcpy(copy.Data(), block.data(), block.size());
  return copy;
}

}  // namespace rolltape::binding
