#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "../memory/heap_block.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// Memory that JavaScript is given. The engine ends the process where it finds no memory for a buffer: a large one is
/// therefore had here, where that is an error. Small ones are the engine's own, which cost less.

inline constexpr std::size_t kLargestEngineBuffer = 1 << 20;

/// An ArrayBuffer of so many bytes. @throws Error kTooLarge, kOutOfMemory.
Napi::ArrayBuffer newArrayBuffer(Napi::Env env, std::size_t bytes);

/// A typed array of so many elements. @throws Error kTooLarge, kOutOfMemory.
template <typename T>
Napi::TypedArrayOf<T> newArray(Napi::Env env, std::size_t length) {
  return Napi::TypedArrayOf<T>::New(env, length, newArrayBuffer(env, length * sizeof(T)), 0);
}

/// A typed array with a copy of the values. @throws Error kTooLarge, kOutOfMemory.
template <typename T>
Napi::TypedArrayOf<T> copyToJs(Napi::Env env, std::span<const T> values) {
  auto array = newArray<T>(env, values.size());
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

/// A Buffer over the block's memory, or over a copy where the runtime forbids foreign memory (Electron).
Napi::Value bufferOf(Napi::Env env, HeapBlock block);

/// A Buffer of so many bytes that `write(std::uint8_t*)` fills. @throws Error kTooLarge, kOutOfMemory.
template <typename Write>
Napi::Value newBuffer(Napi::Env env, std::size_t bytes, Write write) {
  if (bytes <= kLargestEngineBuffer) {
    const auto buffer = Napi::Buffer<std::uint8_t>::New(env, bytes);
    write(buffer.Data());
    return buffer;
  }
  HeapBlock block(bytes);
  write(block.data());
  return bufferOf(env, std::move(block));
}

/// freeBytes(bytes): see src/native/contract.ts.
Napi::Value freeBytes(const Napi::CallbackInfo& info);

}  // namespace rolltape::binding
