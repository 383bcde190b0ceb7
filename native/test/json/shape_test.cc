#include "../../core/json/shape.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

constexpr JsonLimits kWide{10, 100, 100, {}};

std::optional<JsonExcess> excessOf(std::string_view json, const JsonLimits& limits) {
  return findJsonExcess(test::bytesOf(json), limits);
}

TEST(JsonShape, AcceptsADocumentAtItsLimits) {
  EXPECT_FALSE(excessOf(R"({"a":[1,{"b":[]}],"c":"x"})", {4, 6, 2, {{"a", 2}}}));
}

TEST(JsonShape, FindsTooDeepNesting) {
  EXPECT_FALSE(excessOf("[[[]]]", {3, 100, 100, {}}));
  const auto excess = excessOf("[[[[", {3, 100, 100, {}});
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->limit, JsonExcess::Limit::kDepth);
  EXPECT_EQ(excess->allowed, 3U);
}

TEST(JsonShape, StopsAtTheLimitOfADocumentOfBracketsAlone) {
  const std::string brackets(1 << 20, '[');
  ASSERT_TRUE(excessOf(brackets, {JsonLimits::kMaxDepth, 1 << 20, 100, {}}));
}

TEST(JsonShape, CountsEachValueButNoKeys) {
  const std::string_view json = R"({"a":1,"b":[true,null,"x",{}],"c":{"d":-1.5}})";
  EXPECT_FALSE(excessOf(json, {10, 9, 100, {}}));
  const auto excess = excessOf(json, {10, 8, 100, {}});
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->limit, JsonExcess::Limit::kValues);
}

TEST(JsonShape, CountsNumbersInArraysAsPartsOfAValue) {
  EXPECT_FALSE(excessOf("[1,-2,3.5,4567890,5,6,7,8]", {10, 2, 100, {}}));
  EXPECT_TRUE(excessOf("[1,-2,3.5,4567890,5,6,7,8,9]", {10, 2, 100, {}}));
  EXPECT_FALSE(excessOf("[-0.1234567,1.2345678]", {10, 2, 100, {}}));
  EXPECT_TRUE(excessOf("[-0.1234567,1.2345678,1]", {10, 2, 100, {}}));
}

TEST(JsonShape, CountsTheKeysOfEachObjectAlone) {
  EXPECT_FALSE(excessOf(R"({"a":{"x":1,"y":2},"b":{"x":1}})", {10, 100, 2, {}}));
  const auto excess = excessOf(R"([{"a":{"x":1,"x":2,"x":3}}])", {10, 100, 2, {}});
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->limit, JsonExcess::Limit::kKeys);
}

TEST(JsonShape, CountsTheItemsOfNamedListsAtTheTopOnly) {
  const JsonLimits limits{10, 100, 100, {{"tools", 5}, {"messages", 2}}};
  EXPECT_FALSE(excessOf(R"({"a":{"messages":[1,2,3]},"other":[1,2,3],"messages":[1,2]})", limits));
  EXPECT_FALSE(excessOf(R"([{"messages":[1,2,3]}])", limits));
  const auto excess = excessOf(R"({"messages":[1,2,3]})", limits);
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->limit, JsonExcess::Limit::kItems);
  EXPECT_EQ(excess->list, "messages");
  EXPECT_EQ(excess->allowed, 2U);
}

TEST(JsonShape, KnowsAListWhoseKeyIsSpelledWithEscapes) {
  EXPECT_TRUE(excessOf(R"({"m\u0065ssages":[1,2,3]})", {10, 100, 100, {{"messages", 2}}}));
}

TEST(JsonShape, CountsTheValuesOfArguments) {
  const std::string_view json = R"({"a":{"arguments":"{\"x\":[true,{},null]}"},"b":[{"arguments":"[true]"}]})";
  EXPECT_FALSE(excessOf(json, {10, 13, 100, {}}));
  EXPECT_TRUE(excessOf(json, {10, 12, 100, {}}));
  EXPECT_FALSE(excessOf(R"({"content":"[1,2,3]"})", {10, 2, 100, {}}));
  EXPECT_FALSE(excessOf(R"({"arguments":"{\"messages\":[1,2]}"})", {10, 6, 100, {{"messages", 1}}}));
}

TEST(JsonShape, ReadsArgumentsThatAreNoJsonAsText) {
  EXPECT_FALSE(excessOf(R"({"arguments":"{\"x\": ","b":1})", {10, 5, 100, {}}));
  EXPECT_TRUE(excessOf(R"({"arguments":"no","b":[1,2,3]})", {10, 4, 100, {}}));
}

TEST(JsonShape, FindsKeysThatCouldReachAPrototype) {
  for (const char* json :
       {R"({"__proto__":1})", R"([{"a":{"\u005f_proto__":1}}])", R"({"constructor":{"a":1,"prototype":1}})"}) {
    const auto excess = excessOf(json, kWide);
    ASSERT_TRUE(excess) << json;
    EXPECT_EQ(excess->limit, JsonExcess::Limit::kPrototype);
  }
}

TEST(JsonShape, AllowsTheSameWordsWhereTheyAreNotSuchKeys) {
  for (const char* json : {R"({"a":"__proto__","constructor":1,"prototype":1})", R"({"constructor":[{"prototype":1}]})",
                           R"({"arguments":"{\"__proto__\":1}"})"}) {
    EXPECT_FALSE(excessOf(json, kWide)) << json;
  }
}

TEST(JsonShape, FindsAKeyOrANumberThatIsTooLong) {
  const std::string most(JsonLimits::kMaxWordBytes, '1');
  EXPECT_FALSE(excessOf("{\"" + most + "\":" + most + "}", kWide));
  for (const std::string& json : {"{\"" + most + "1\":1}", "[" + most + "1]"}) {
    const auto excess = excessOf(json, kWide);
    ASSERT_TRUE(excess);
    EXPECT_EQ(excess->limit, JsonExcess::Limit::kWord);
  }
  EXPECT_FALSE(excessOf("{\"a\":\"" + most + "1\",\"arguments\":\"" + most + "1\"}", kWide));
}

TEST(JsonShape, LeavesWhatIsNotJsonToTheParser) {
  for (const char* text : {"", "{", "[1,", "{\"a\"}", "nul", "[1] 2", "\"\n\""})
    EXPECT_FALSE(excessOf(text, kWide)) << text;
}

TEST(JsonShape, FindsAnExcessBeforeAnError) {
  EXPECT_TRUE(excessOf("[[],{},true,null,", {10, 3, 100, {}}));
}

}  // namespace
}  // namespace rolltape
