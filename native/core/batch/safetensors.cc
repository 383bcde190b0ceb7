#include "safetensors.h"

#include "../base/size.h"
#include "../json/text.h"

namespace rolltape {

namespace {

constexpr std::uint64_t kDataAlignment = 64;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::uint64_t kLengthBytes = 8;

void appendMetadata(std::string& json, const Metadata& metadata) {
  json += "\"__metadata__\":{";
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    if (i > 0) json += ',';
    appendJsonString(json, metadata[i].first);
    json += ':';
    appendJsonString(json, metadata[i].second);
  }
  json += '}';
}

/// `tensor.offset` counts from the start of the data here.
void appendTensor(std::string& json, const TensorPlace& tensor) {
  appendJsonString(json, tensor.spec.name);
  json += ":{\"dtype\":\"";
  json += dtypeName(tensor.spec.dtype);
  json += "\",\"shape\":[";
  for (std::size_t i = 0; i < tensor.spec.shape.size(); ++i) {
    if (i > 0) json += ',';
    json += std::to_string(tensor.spec.shape[i]);
  }
  json += "],\"data_offsets\":[" + std::to_string(tensor.offset) + ',' + std::to_string(tensor.offset + tensor.bytes) +
          "]}";
}

std::string headerJson(std::span<const TensorPlace> tensors, const Metadata& metadata) {
  std::string json = "{";
  if (!metadata.empty()) appendMetadata(json, metadata);
  for (const TensorPlace& tensor : tensors) {
    if (json.size() > 1) json += ',';
    appendTensor(json, tensor);
  }
  return json + '}';
}

std::string padHeader(std::string json) {
  json.resize(checkedRoundUp(kLengthBytes + json.size(), kDataAlignment) - kLengthBytes, ' ');
  if (json.size() > kMaxHeaderBytes) {
    throw Error(ErrorCode::kTooLarge, "metadata: the header would have " + std::to_string(json.size()) +
                                          " bytes; safetensors allows " + std::to_string(kMaxHeaderBytes));
  }
  std::string header;
  for (std::uint64_t i = 0; i < kLengthBytes; ++i) header += static_cast<char>((json.size() >> (8 * i)) & 0xff);
  return header + json;
}

}  // namespace

std::uint64_t tensorBytes(const TensorSpec& spec) {
  std::uint64_t bytes = dtypeBytes(spec.dtype);
  for (const std::uint64_t extent : spec.shape) bytes = checkedMultiply(bytes, extent);
  return bytes;
}

SafetensorsLayout layoutSafetensors(std::span<const TensorSpec> specs, const Metadata& metadata) {
  SafetensorsLayout layout;
  std::uint64_t end = 0;
  for (const TensorSpec& spec : specs) {
    const std::uint64_t bytes = tensorBytes(spec);
    layout.tensors.push_back({spec, end, bytes});
    end = checkedAdd(end, bytes);
  }
  layout.header = padHeader(headerJson(layout.tensors, metadata));
  for (TensorPlace& tensor : layout.tensors) tensor.offset += layout.header.size();
  layout.totalBytes = checkedAdd(end, layout.header.size());
  return layout;
}

}  // namespace rolltape
