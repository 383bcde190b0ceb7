#include "safetensors_reader.h"

#include <limits>

#include "json_document.h"
#include "require.h"

namespace rolltape::fuzz {

namespace {

using Kind = JsonValue::Kind;

std::uint64_t unsignedOf(const JsonValue& value) {
  // What does not fit an int64 is more than any file has.
  const auto integer = value.integer(0, std::numeric_limits<std::int64_t>::max());
  FUZZ_REQUIRE(integer.has_value());
  return static_cast<std::uint64_t>(*integer);
}

std::uint64_t bytesPerElement(const std::string& dtype) {
  if (dtype == "I64") return 8;
  if (dtype == "I32" || dtype == "F32") return 4;
  if (dtype == "U16") return 2;
  FUZZ_REQUIRE(dtype == "U8" || dtype == "BOOL");
  return 1;
}

ReadTensor tensorOf(const std::string& name, const JsonValue& value, std::uint64_t dataBegin) {
  FUZZ_REQUIRE(value.kind == Kind::kObject && value.keys.size() == 3);
  const JsonValue* dtype = value.find("dtype");
  const JsonValue* shape = value.find("shape");
  const JsonValue* offsets = value.find("data_offsets");
  FUZZ_REQUIRE(dtype != nullptr && shape != nullptr && offsets != nullptr);
  FUZZ_REQUIRE(dtype->kind == Kind::kString && shape->kind == Kind::kArray);
  FUZZ_REQUIRE(offsets->kind == Kind::kArray && offsets->items.size() == 2);
  ReadTensor tensor{name, dtype->text, {}, 0, 0};
  std::uint64_t bytes = bytesPerElement(tensor.dtype);
  for (const JsonValue& extent : shape->items) {
    tensor.shape.push_back(unsignedOf(extent));
    bytes *= tensor.shape.back();
  }
  tensor.begin = dataBegin + unsignedOf(offsets->items[0]);
  tensor.end = dataBegin + unsignedOf(offsets->items[1]);
  FUZZ_REQUIRE(tensor.end - tensor.begin == bytes);
  return tensor;
}

}  // namespace

ReadFile readSafetensors(std::span<const std::byte> bytes) {
  FUZZ_REQUIRE(bytes.size() >= 8);
  std::uint64_t headerBytes = 0;
  for (std::size_t i = 8; i-- > 0;) headerBytes = headerBytes << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  FUZZ_REQUIRE(headerBytes <= bytes.size() - 8);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, headerBytes);
  FUZZ_REQUIRE(text.starts_with('{'));
  const auto header = parseJson(text, 16);
  FUZZ_REQUIRE(header && header->kind == Kind::kObject);
  ReadFile file;
  file.dataBegin = 8 + headerBytes;
  std::uint64_t end = file.dataBegin;
  for (std::size_t i = 0; i < header->keys.size(); ++i) {
    const JsonValue& value = header->items[i];
    FUZZ_REQUIRE(header->find(header->keys[i]) == &value);
    if (header->keys[i] == "__metadata__") {
      FUZZ_REQUIRE(value.kind == Kind::kObject);
      for (std::size_t entry = 0; entry < value.keys.size(); ++entry) {
        FUZZ_REQUIRE(value.items[entry].kind == Kind::kString);
        FUZZ_REQUIRE(file.metadata.emplace(value.keys[entry], value.items[entry].text).second);
      }
      continue;
    }
    file.tensors.push_back(tensorOf(header->keys[i], value, file.dataBegin));
    FUZZ_REQUIRE(file.tensors.back().begin == end);
    end = file.tensors.back().end;
  }
  return file;
}

}  // namespace rolltape::fuzz
