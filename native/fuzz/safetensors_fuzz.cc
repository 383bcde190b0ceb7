#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <set>

#include "../core/base/error.h"
#include "../core/base/utf8.h"
#include "../core/batch/safetensors.h"
#include "require.h"
#include "safetensors_reader.h"

/// Any tensors and metadata through the writer and back through a reader of its own.

namespace {

using namespace rolltape;

constexpr std::uint64_t kMaxInt64 = 0x7fffffffffffffff;

std::string anyText(FuzzedDataProvider& input) {
  std::string text;
  const int length = input.ConsumeIntegralInRange(0, 12);
  for (int i = 0; i < length; ++i) {
    appendUtf8(text, input.ConsumeBool() ? input.ConsumeIntegralInRange<std::uint32_t>(0, 0x7f)
                                         : input.ConsumeIntegralInRange<std::uint32_t>(0x80, 0x10ffff));
  }
  return text;
}

std::vector<std::uint64_t> anyShape(FuzzedDataProvider& input) {
  std::vector<std::uint64_t> shape(input.ConsumeIntegralInRange<std::size_t>(0, 4));
  for (std::uint64_t& extent : shape) {
    extent = input.ConsumeBool() ? input.ConsumeIntegralInRange<std::uint64_t>(0, 64)
                                 : input.ConsumeIntegralInRange<std::uint64_t>(0, kMaxInt64);
  }
  return shape;
}

std::vector<TensorSpec> anySpecs(FuzzedDataProvider& input) {
  std::vector<TensorSpec> specs;
  std::set<std::string> names{"__metadata__"};
  const int words = input.ConsumeIntegralInRange(0, 5);
  const int count = words + input.ConsumeIntegralInRange(0, 3);
  for (int i = 0; i < count; ++i) {
    const Dtype word = input.ConsumeBool() ? Dtype::kI32 : Dtype::kF32;
    TensorSpec spec{anyText(input), i < words ? word : Dtype::kBool, anyShape(input)};
    if (names.insert(spec.name).second) specs.push_back(std::move(spec));
  }
  return specs;
}

Metadata anyMetadata(FuzzedDataProvider& input) {
  Metadata metadata;
  std::set<std::string> keys;
  const int count = input.ConsumeIntegralInRange(0, 4);
  for (int i = 0; i < count; ++i) {
    std::string key = anyText(input);
    if (keys.insert(key).second) metadata.emplace_back(std::move(key), anyText(input));
  }
  return metadata;
}

/// Whether sizes or offsets do not fit 64 bits; an extent of zero hides no overflow of the others.
bool overflows(const std::vector<TensorSpec>& specs) {
  unsigned __int128 total = 0;
  for (const TensorSpec& spec : specs) {
    unsigned __int128 bytes = dtypeBytes(spec.dtype);
    for (const std::uint64_t extent : spec.shape) {
      bytes *= extent;
      if (bytes > UINT64_MAX) return true;
    }
    total += bytes;
  }
  // The header comes on top.
  return total > UINT64_MAX - 100'000;
}

void requireSame(const SafetensorsLayout& layout, const std::vector<TensorSpec>& specs, const Metadata& metadata) {
  const fuzz::ReadFile file = fuzz::readSafetensors(std::as_bytes(std::span(layout.header)));
  FUZZ_REQUIRE(file.dataBegin == layout.header.size() && file.dataBegin % 64 == 0);
  FUZZ_REQUIRE(file.tensors.size() == specs.size() && layout.tensors.size() == specs.size());
  std::uint64_t end = file.dataBegin;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const fuzz::ReadTensor& read = file.tensors[i];
    FUZZ_REQUIRE(read.name == specs[i].name && read.dtype == dtypeName(specs[i].dtype));
    FUZZ_REQUIRE(read.shape == specs[i].shape);
    FUZZ_REQUIRE(layout.tensors[i].offset == read.begin && layout.tensors[i].bytes == read.end - read.begin);
    FUZZ_REQUIRE(read.begin % dtypeBytes(specs[i].dtype) == 0);
    end = read.end;
  }
  FUZZ_REQUIRE(layout.totalBytes == end);
  FUZZ_REQUIRE(file.metadata.size() == metadata.size());
  for (const auto& [key, value] : metadata) FUZZ_REQUIRE(file.metadata.at(key) == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  const std::vector<TensorSpec> specs = anySpecs(input);
  const Metadata metadata = anyMetadata(input);
  SafetensorsLayout layout;
  try {
    layout = layoutSafetensors(specs, metadata);
  } catch (const Error& error) {
    FUZZ_REQUIRE(error.code() == ErrorCode::kTooLarge && overflows(specs));
    return 0;
  }
  // No reader has offsets beyond int64.
  if (layout.totalBytes <= kMaxInt64) requireSame(layout, specs, metadata);
  return 0;
}
