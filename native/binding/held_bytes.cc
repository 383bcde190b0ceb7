#include "held_bytes.h"

#include <utility>

#include "args.h"

namespace rolltape::binding {

HeldBytes::HeldBytes(Napi::Value value, std::string name) : name_(std::move(name)), bytes_(bytesArg(value, name_)) {
  const auto array = value.As<Napi::Uint8Array>();
  const Napi::ArrayBuffer buffer = array.ArrayBuffer();
  // A SharedArrayBuffer is no ArrayBuffer.
  if (!buffer.IsArrayBuffer() || buffer.Get("resizable").ToBoolean()) {
    throwInvalid(name_, "a Uint8Array over an ArrayBuffer of fixed size");
  }
  array_ = Napi::Persistent(array);
}

void HeldBytes::requireUntouched() const {
  // Nothing was read of an array without elements, and its buffer may have been detached from the start.
  if (!bytes_.empty() && array_.Value().ArrayBuffer().IsDetached()) {
    throwInvalid(name_, "a buffer that is not transferred while it is read");
  }
}

}  // namespace rolltape::binding
