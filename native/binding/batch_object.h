#pragma once

#include <memory>
#include <vector>

#include "../core/batch/safetensors.h"
#include "block_view.h"
#include "pack_workers.h"
#include "wrapped.h"

namespace rolltape::binding {

/// NativeBatch.
class BatchObject : public Wrapped<BatchObject> {
 public:
  static constexpr napi_type_tag kTypeTag{0x7c1d7b0e2a9a4f6b, 0xa3d2e0b17f5c4c88};
  static constexpr const char* kClassName = "NativeBatch";

  static Napi::Function define(Napi::Env env);
  /// @param striped null if the whole batch is written
  static Napi::Object create(Napi::Env env, std::unique_ptr<Block> block, const std::vector<TensorPlace>& tensors,
                             std::shared_ptr<StripedBatch> striped);

  using Wrapped::Wrapped;

 private:
  /// @throws Error kReleased after release().
  Block& block() const;
  Napi::Value bytes(const Napi::CallbackInfo& info);
  Napi::Value writtenBytes(const Napi::CallbackInfo& info);
  Napi::Value writeStripe(const Napi::CallbackInfo& info);
  Napi::Value part(const Napi::CallbackInfo& info);
  Napi::Value byteLength(const Napi::CallbackInfo& info);
  Napi::Value memory(const Napi::CallbackInfo& info);
  Napi::Value path(const Napi::CallbackInfo& info);
  Napi::Value taken(const Napi::CallbackInfo& info);
  Napi::Value acknowledge(const Napi::CallbackInfo& info);
  Napi::Value release(const Napi::CallbackInfo& info);

  std::shared_ptr<HeldBlock> held_;
  std::shared_ptr<StripedBatch> striped_;
  /// The one view, made when it is first asked for and kept so that release() reaches it. It does not refer back to
  /// this object, so that either may be collected first.
  Napi::ObjectReference bytes_;
};

}  // namespace rolltape::binding
