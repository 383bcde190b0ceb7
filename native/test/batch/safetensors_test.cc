#include "../../core/batch/safetensors.h"

#include <gtest/gtest.h>

#include <limits>

#include "../../core/json/text.h"
#include "../support.h"

namespace rolltape {
namespace {

std::uint64_t headerLength(const std::string& header) {
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<std::uint8_t>(header[static_cast<std::size_t>(i)]);
  return length;
}

const std::vector<TensorSpec> kSpecs{
    {"ids", Dtype::kI32, {2, 3}}, {"lp", Dtype::kF32, {5}}, {"mask", Dtype::kBool, {2, 3}}};

TEST(Safetensors, DataStartsAtAMultipleOf64BehindItsHeader) {
  for (std::size_t padding = 0; padding < 130; ++padding) {
    const SafetensorsLayout layout = layoutSafetensors(kSpecs, {{"k", std::string(padding, 'x')}});
    EXPECT_EQ(0u, layout.header.size() % 64);
    EXPECT_EQ(layout.header.size(), 8 + headerLength(layout.header));
    EXPECT_EQ('{', layout.header[8]);
    EXPECT_EQ(layout.header.size(), layout.tensors[0].offset);
  }
}

TEST(Safetensors, DataHasNoHolesAndCoversTheFile) {
  const SafetensorsLayout layout = layoutSafetensors(kSpecs, {});
  std::uint64_t end = layout.header.size();
  for (const TensorPlace& tensor : layout.tensors) {
    EXPECT_EQ(end, tensor.offset);
    end += tensor.bytes;
  }
  EXPECT_EQ(end, layout.totalBytes);
  EXPECT_EQ(layout.header.size() + 24 + 20 + 6, layout.totalBytes);
}

TEST(Safetensors, HeaderIsTheFormatsJson) {
  const SafetensorsLayout layout = layoutSafetensors(kSpecs, {{"rows", "[\"é\"]"}, {"a\n", ""}});
  const std::string json = layout.header.substr(8);
  EXPECT_EQ(
      "{\"__metadata__\":{\"rows\":\"[\\\"é\\\"]\",\"a\\n\":\"\"},"
      "\"ids\":{\"dtype\":\"I32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
      "\"lp\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[24,44]},"
      "\"mask\":{\"dtype\":\"BOOL\",\"shape\":[2,3],\"data_offsets\":[44,50]}}",
      json.substr(0, json.find_last_not_of(' ') + 1));
}

TEST(Safetensors, WithoutMetadataThereIsNoMetadataKey) {
  EXPECT_EQ(std::string::npos, layoutSafetensors(kSpecs, {}).header.find("__metadata__"));
}

TEST(Safetensors, ASizeThatOverflowsIsAnError) {
  const std::vector<TensorSpec> huge{{"x", Dtype::kI32, {std::uint64_t{1} << 40, std::uint64_t{1} << 40}}};
  EXPECT_CODE(kTooLarge, layoutSafetensors(huge, {}));
  const std::vector<TensorSpec> two{{"x", Dtype::kBool, {std::numeric_limits<std::uint64_t>::max()}},
                                    {"y", Dtype::kBool, {1}}};
  EXPECT_CODE(kTooLarge, layoutSafetensors(two, {}));
}

TEST(Safetensors, AHeaderOverTheFormatsLimitIsAnError) {
  EXPECT_CODE(kTooLarge, layoutSafetensors(kSpecs, {{"k", std::string(100'000'001, 'x')}}));
}

TEST(JsonText, EscapesWhatMustBeAndNothingElse) {
  std::string out;
  appendJsonString(out, std::string_view("a\"b\\c/\b\f\n\r\t\0\x1f\x7f é漢😀", 24));
  EXPECT_EQ("\"a\\\"b\\\\c/\\u0008\\u000c\\n\\r\\t\\u0000\\u001f\x7f é漢😀\"", out);
}

}  // namespace
}  // namespace rolltape
