#include "batch_object.h"

#include "addon_data.h"
#include "block_view.h"

namespace rolltape::binding {

namespace {

Napi::Array tensorsToJs(Napi::Env env, const std::vector<TensorPlace>& tensors) {
  const Napi::Array array = Napi::Array::New(env, tensors.size());
  for (std::uint32_t i = 0; i < tensors.size(); ++i) {
    const TensorPlace& tensor = tensors[i];
    const Napi::Array shape = Napi::Array::New(env, tensor.spec.shape.size());
    for (std::uint32_t axis = 0; axis < tensor.spec.shape.size(); ++axis) {
      shape.Set(axis, Napi::Number::New(env, static_cast<double>(tensor.spec.shape[axis])));
    }
    const Napi::Object span = Napi::Object::New(env);
    span.Set("name", Napi::String::New(env, tensor.spec.name));
    span.Set("dtype", Napi::String::New(env, dtypeName(tensor.spec.dtype)));
    span.Set("shape", shape);
    span.Set("byteOffset", Napi::Number::New(env, static_cast<double>(tensor.offset)));
    span.Set("byteLength", Napi::Number::New(env, static_cast<double>(tensor.bytes)));
    array.Set(i, span);
  }
  return array;
}

}  // namespace

Napi::Function BatchObject::define(Napi::Env env) {
  return DefineClass(env, kClassName,
                     {guardedGetter<&BatchObject::bytes>("bytes"), guardedMethod<&BatchObject::release>("release")});
}

Napi::Object BatchObject::create(Napi::Env env, HeapBlock block, const std::vector<TensorPlace>& tensors) {
  const Napi::Object object = addonData(env).batch.New({});
  BatchObject* self = Unwrap(object);
  self->block_ = std::make_shared<HeapBlock>(std::move(block));
  Napi::ArrayBuffer buffer = viewBlock(env, self->block_);
  const Napi::Uint8Array bytes = Napi::Uint8Array::New(env, buffer.ByteLength(), buffer, 0);
  self->bytes_ = Napi::Persistent(bytes.As<Napi::Object>());
  object.DefineProperty(Napi::PropertyDescriptor::Value("tensors", tensorsToJs(env, tensors), napi_enumerable));
  return object;
}

Napi::Value BatchObject::bytes(const Napi::CallbackInfo&) {
  if (!block_) throw Error(ErrorCode::kReleased, "the batch was released");
  return bytes_.Value();
}

Napi::Value BatchObject::release(const Napi::CallbackInfo& info) {
  if (!block_) return info.Env().Undefined();
  bytes_.Value().As<Napi::Uint8Array>().ArrayBuffer().Detach();
  bytes_.Reset();
  // The ArrayBuffer's finalizer runs some time later and still holds the block: empty it now.
  *block_ = HeapBlock();
  block_.reset();
  return info.Env().Undefined();
}

}  // namespace rolltape::binding
