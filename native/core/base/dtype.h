#pragma once

#include <cstdint>

namespace rolltape {

/// Types of the elements of a tensor.
enum class Dtype : std::uint8_t { kI64, kI32, kF32, kU16, kU8, kBool };

/// Returns the name in safetensors files.
constexpr const char* dtypeName(Dtype dtype) {
  switch (dtype) {
    case Dtype::kI64:
      return "I64";
    case Dtype::kI32:
      return "I32";
    case Dtype::kF32:
      return "F32";
    case Dtype::kU16:
      return "U16";
    case Dtype::kU8:
      return "U8";
    case Dtype::kBool:
      return "BOOL";
  }
  return "";
}

constexpr std::uint64_t dtypeBytes(Dtype dtype) {
  switch (dtype) {
    case Dtype::kI64:
      return 8;
    case Dtype::kI32:
    case Dtype::kF32:
      return 4;
    case Dtype::kU16:
      return 2;
    case Dtype::kU8:
    case Dtype::kBool:
      return 1;
  }
  return 0;
}

}  // namespace rolltape
