#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rolltape::fuzz {

struct ReadTensor {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  /// From the start of the file.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct ReadFile {
  std::map<std::string, std::string> metadata;
  /// In the order of the header.
  std::vector<ReadTensor> tensors;
  std::uint64_t dataBegin = 0;
};

/// Reads the header of a safetensors file by the rules of the format's README, and ends the process where it breaks
/// one: offsets without holes, sizes that are those of dtype and shape, strings in the metadata, no key twice.
/// `bytes` may end with the header.
ReadFile readSafetensors(std::span<const std::byte> bytes);

}  // namespace rolltape::fuzz
