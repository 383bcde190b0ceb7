#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../base/dtype.h"

namespace rolltape {

struct TensorSpec {
  std::string name;
  Dtype dtype;
  std::vector<std::uint64_t> shape;
};

/// @throws kTooLarge where that does not fit 64 bits.
std::uint64_t tensorBytes(const TensorSpec& spec);

/// A tensor and its place, in bytes from the start of the file.
struct TensorPlace {
  TensorSpec spec;
  std::uint64_t offset;
  std::uint64_t bytes;
};

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The layout of a safetensors file (the format's README, huggingface/safetensors): 8 bytes little-endian header
/// length, JSON header, data without holes. The header is padded with spaces so that the data starts at a multiple of
/// 64 bytes.
struct SafetensorsLayout {
  /// The 8 length bytes and the padded JSON.
  std::string header;
  std::vector<TensorPlace> tensors;
  std::uint64_t totalBytes;
};

/// Lays the tensors out in their order, which must be by falling alignment. Metadata is UTF-8 with distinct keys.
/// @throws kTooLarge where sizes overflow or the header is over the format's 100,000,000 bytes.
SafetensorsLayout layoutSafetensors(std::span<const TensorSpec> specs, const Metadata& metadata);

}  // namespace rolltape
