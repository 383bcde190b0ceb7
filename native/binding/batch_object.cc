#include "batch_object.h"

#include "addon_data.h"
#include "args.h"

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

const char* memoryName(BlockKind kind) {
  switch (kind) {
    case BlockKind::kHeap:
      return "heap";
    case BlockKind::kShared:
      return "shared";
    case BlockKind::kPinned:
      return "pinned";
  }
  return "";
}

}  // namespace

Napi::Function BatchObject::define(Napi::Env env) {
  using Self = BatchObject;
  return DefineClass(
      env, kClassName,
      {guardedGetter<&Self::bytes>("bytes"), guardedGetter<&Self::byteLength>("byteLength"),
       guardedGetter<&Self::memory>("memory"), guardedGetter<&Self::path>("path"), guardedGetter<&Self::taken>("taken"),
       guardedMethod<&Self::part>("part"), guardedGetter<&Self::writtenBytes>("writtenBytes"),
       promiseMethod<&Self::writeStripe>("writeStripe"), guardedMethod<&Self::acknowledge>("acknowledge"),
       guardedMethod<&Self::release>("release")});
}

Napi::Object BatchObject::create(Napi::Env env, std::unique_ptr<Block> block, const std::vector<TensorPlace>& tensors,
                                 std::shared_ptr<StripedBatch> striped) {
  const Napi::Object object = addonData(env).batch.New({});
  Unwrap(object)->held_ = std::make_shared<HeldBlock>(HeldBlock{std::move(block)});
  Unwrap(object)->striped_ = std::move(striped);
  object.DefineProperty(Napi::PropertyDescriptor::Value("tensors", tensorsToJs(env, tensors), napi_enumerable));
  return object;
}

Block& BatchObject::block() const {
  if (!held_) throw Error(ErrorCode::kReleased, "the batch was released");
  return *held_->block;
}

Napi::Value BatchObject::bytes(const Napi::CallbackInfo& info) {
  block();
  if (bytes_.IsEmpty()) {
    Napi::ArrayBuffer buffer = viewBlock(info.Env(), held_, {0, held_->block->size()});
    bytes_ = Napi::Persistent(Napi::Uint8Array::New(info.Env(), buffer.ByteLength(), buffer, 0).As<Napi::Object>());
  }
  return bytes_.Value();
}

Napi::Value BatchObject::writtenBytes(const Napi::CallbackInfo& info) {
  const std::uint64_t size = block().size();
  return Napi::Number::New(info.Env(), static_cast<double>(striped_ ? striped_->writtenBytes : size));
}

Napi::Value BatchObject::writeStripe(const Napi::CallbackInfo& info) {
  block();
  const auto bytes = static_cast<std::uint64_t>(integerArg(info[0], "bytes", 1, std::int64_t{1} << 53));
  if (!striped_) throw Error(ErrorCode::kInvalidArg, "the batch is not written in stripes");
  if (held_->isWritten) throw Error(ErrorCode::kInvalidArg, "a stripe of the batch is being written");
  return PromiseWorker::start(new StripeWorker(info.Env(), striped_, bytes, held_));
}

Napi::Value BatchObject::part(const Napi::CallbackInfo& info) {
  const auto size = static_cast<std::int64_t>(block().size());
  const std::int64_t begin = integerArg(info[0], "begin", 0, size);
  const std::int64_t end = integerArg(info[1], "end", begin, size);
  Napi::ArrayBuffer buffer =
      viewBlock(info.Env(), held_, {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
  return Napi::Uint8Array::New(info.Env(), buffer.ByteLength(), buffer, 0);
}

Napi::Value BatchObject::byteLength(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(block().size()));
}

Napi::Value BatchObject::memory(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), memoryName(block().kind()));
}

Napi::Value BatchObject::path(const Napi::CallbackInfo& info) {
  const std::string path = block().path();
  if (path.empty()) return info.Env().Undefined();
  return Napi::String::New(info.Env(), path);
}

Napi::Value BatchObject::taken(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), block().taken());
}

Napi::Value BatchObject::acknowledge(const Napi::CallbackInfo& info) {
  if (held_) held_->block->acknowledge();
  return release(info);
}

Napi::Value BatchObject::release(const Napi::CallbackInfo& info) {
  if (!held_) return info.Env().Undefined();
  // JavaScript may have moved the memory to another ArrayBuffer (transfer()), out of reach here: then that one's
  // finalizer frees the block. Otherwise the finalizer would hold it until the garbage is collected: empty it now.
  bool moved = false;
  if (!bytes_.IsEmpty()) {
    Napi::ArrayBuffer buffer = bytes_.Value().As<Napi::Uint8Array>().ArrayBuffer();
    moved = buffer.IsDetached();
    if (!moved) buffer.Detach();
  }
  bytes_.Reset();
  if (!moved) held_->release();
  held_.reset();
  return info.Env().Undefined();
}

}  // namespace rolltape::binding
