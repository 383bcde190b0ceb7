#include "args.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/base/error.h"

namespace rolltape::binding {

void throwInvalid(const std::string& name, const std::string& expected) {
  throw Error(ErrorCode::kInvalidArg, name + ": expected " + expected);
}

Napi::Object objectArg(Napi::Value value, const std::string& name) {
  if (!value.IsObject()) throwInvalid(name, "an object");
  return value.As<Napi::Object>();
}

Napi::Array arrayArg(Napi::Value value, const std::string& name) {
  if (!value.IsArray()) throwInvalid(name, "an array");
  return value.As<Napi::Array>();
}

std::vector<Napi::Value> itemsOf(Napi::Array array) {
  std::vector<Napi::Value> items;
  for (std::uint32_t i = 0; i < array.Length(); ++i) items.push_back(array.Get(i));
  return items;
}

bool booleanArg(Napi::Value value, const std::string& name) {
  if (!value.IsBoolean()) throwInvalid(name, "a boolean");
  return value.As<Napi::Boolean>().Value();
}

double numberArg(Napi::Value value, const std::string& name) {
  if (!value.IsNumber()) throwInvalid(name, "a number");
  return value.As<Napi::Number>().DoubleValue();
}

std::int64_t integerArg(Napi::Value value, const std::string& name, std::int64_t lowest, std::int64_t highest) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
  if (!(number >= static_cast<double>(lowest) && number <= static_cast<double>(highest)) ||
      number != std::floor(number)) {
    throwInvalid(name, "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest));
  }
  return static_cast<std::int64_t>(number);
}

std::int32_t int32Arg(Napi::Value value, const std::string& name) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(integerArg(value, name, Limits::min(), Limits::max()));
}

std::uint32_t indexArg(Napi::Value value, const std::string& name) {
  return static_cast<std::uint32_t>(integerArg(value, name, 0, std::numeric_limits<std::int32_t>::max()));
}

std::string utf8Arg(Napi::Value value, const std::string& name) {
  if (!value.IsString()) throwInvalid(name, "a string");
  return value.As<Napi::String>().Utf8Value();
}

std::string utf16Arg(Napi::Value value, const std::string& name) {
  if (!value.IsString()) throwInvalid(name, "a string");
  const std::u16string units = value.As<Napi::String>().Utf16Value();
  return {reinterpret_cast<const char*>(units.data()), units.size() * sizeof(char16_t)};
}

namespace {

template <typename Read>
std::vector<std::string> listArg(Napi::Value value, const std::string& name, Read read) {
  const Napi::Array array = arrayArg(value, name);
  std::vector<std::string> list;
  list.reserve(array.Length());
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::HandleScope scope(value.Env());
    list.push_back(read(array.Get(i), name + "[" + std::to_string(i) + "]"));
  }
  return list;
}

template <typename Array, typename T>
std::span<const T> typedArrayArg(Napi::Value value, const std::string& name, napi_typedarray_type type,
                                 const char* expected) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) throwInvalid(name, expected);
  const Array array = value.As<Array>();
  // What was transferred to another thread would pass for an empty list.
  if (array.ElementLength() == 0 && array.ArrayBuffer().IsDetached()) throwInvalid(name, "a buffer not transferred");
  return {array.Data(), array.ElementLength()};
}

}  // namespace

std::vector<std::string> utf8ListArg(Napi::Value value, const std::string& name) {
  return listArg(value, name, utf8Arg);
}

std::vector<std::string> utf16ListArg(Napi::Value value, const std::string& name) {
  return listArg(value, name, utf16Arg);
}

std::span<const std::int32_t> int32ArrayArg(Napi::Value value, const std::string& name) {
  return typedArrayArg<Napi::Int32Array, std::int32_t>(value, name, napi_int32_array, "an Int32Array");
}

std::span<const std::uint32_t> uint32ArrayArg(Napi::Value value, const std::string& name) {
  return typedArrayArg<Napi::Uint32Array, std::uint32_t>(value, name, napi_uint32_array, "a Uint32Array");
}

std::span<const std::uint64_t> bigUint64ArrayArg(Napi::Value value, const std::string& name) {
  return typedArrayArg<Napi::BigUint64Array, std::uint64_t>(value, name, napi_biguint64_array, "a BigUint64Array");
}

std::span<const float> float32ArrayArg(Napi::Value value, const std::string& name) {
  return typedArrayArg<Napi::Float32Array, float>(value, name, napi_float32_array, "a Float32Array");
}

std::span<const std::uint8_t> bytesArg(Napi::Value value, const std::string& name) {
  return typedArrayArg<Napi::Uint8Array, std::uint8_t>(value, name, napi_uint8_array, "a Uint8Array");
}

std::span<const MessageDigest> digestsArg(Napi::Value value, const std::string& name) {
  const std::span<const std::uint8_t> bytes = bytesArg(value, name);
  if (bytes.size() % sizeof(MessageDigest) != 0) throwInvalid(name, "16 bytes per message");
  return {reinterpret_cast<const MessageDigest*>(bytes.data()), bytes.size() / sizeof(MessageDigest)};
}

SipKey sipKeyArg(Napi::Value value, const std::string& name, const SipKey& fallback) {
  if (value.IsUndefined()) return fallback;
  const std::span<const std::uint8_t> bytes = bytesArg(value, name);
  SipKey key;
  if (bytes.size() != key.size()) throwInvalid(name, "a key of 16 bytes");
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

}  // namespace rolltape::binding
