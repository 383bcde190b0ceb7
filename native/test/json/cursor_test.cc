#include "../../core/json/cursor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "../support.h"

namespace rolltape {
namespace {

JsonCursor over(std::string_view text) {
  return JsonCursor(test::bytesOf(text));
}

void skipAll(std::string_view text) {
  JsonCursor json = over(text);
  json.skip();
  json.finish();
}

TEST(JsonCursor, SkipsEveryJsonValue) {
  for (const char* text :
       {"0", "-0", "12.5e-3", "1E+9", "true", "false", "null", "\"\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", "[]",
        "{}", "[1,[2,[3]],{\"a\":[{}]}]", " {\"a\" : 1 ,\n\t\"b\":\r[ ] } ", "NaN", "Infinity", "-Infinity"}) {
    EXPECT_NO_THROW(skipAll(text)) << text;
  }
}

TEST(JsonCursor, RefusesWhatIsNotJson) {
  for (const char* text :
       {"",         " ",         "01",  "1.",      ".5",          "+1",        "-",      "1e",
        "1e+",      "0x1",       "nan", "inf",     "Nan",         "-NaN",      "tru",    "truex",
        "nullnull", "'a'",       "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"", "\"\n\"", "[1,]",
        "[,1]",     "[1 2]",     "[",   "]",       "{\"a\"}",     "{\"a\":}",  "{a:1}",  "{\"a\":1,}",
        "{1:2}",    "{\"a\":1]", "[1}", "1 1",     "{}{}"}) {
    EXPECT_CODE(kReplyMalformed, skipAll(text)) << text;
  }
}

TEST(JsonCursor, BoundsTheNestingDepth) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(skipAll(nested(JsonCursor::kMaxDepth)));
  EXPECT_CODE(kReplyMalformed, skipAll(nested(JsonCursor::kMaxDepth + 1)));
  EXPECT_CODE(kReplyMalformed, skipAll(std::string(1'000'000, '[')));
}

TEST(JsonCursor, SiblingsDoNotAddToTheDepth) {
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += "[{}],";
  EXPECT_NO_THROW(skipAll(text + "0]"));
}

TEST(JsonCursor, DecodesEscapes) {
  EXPECT_EQ("aé\"\\/\b\f\n\r\tz", over("\"a\\u00e9\\\"\\\\\\/\\b\\f\\n\\r\\tz\"").string());
  EXPECT_EQ("😀漢", over("\"\\ud83d\\ude00\\u6f22\"").string());
  EXPECT_EQ("é😀", over("\"é😀\"").string());
}

TEST(JsonCursor, ALoneSurrogateBecomesTheReplacementCharacter) {
  EXPECT_EQ("\xef\xbf\xbdx", over("\"\\ud83dx\"").string());
  EXPECT_EQ("\xef\xbf\xbd\xef\xbf\xbd", over("\"\\ude00\\ud83d\"").string());
  EXPECT_EQ("\xef\xbf\xbd😀", over("\"\\ud83d\\ud83d\\ude00\"").string());
}

TEST(JsonCursor, NumbersAreThoseOfStrtod) {
  test::Random random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string text = random.chance(0.5) ? "-" : "";
    text += random.chance(0.3) ? "0" : std::to_string(1 + random.below(1u << 31));
    if (random.chance(0.8))
      text += "." + std::to_string(random.below(1u << 31)) + std::to_string(random.below(1u << 31));
    if (random.chance(0.5)) text += "e" + std::to_string(static_cast<int>(random.below(660)) - 330);
    const double expected = std::strtod(text.c_str(), nullptr);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(expected), std::bit_cast<std::uint64_t>(over(text).number())) << text;
  }
}

TEST(JsonCursor, NumbersBeyondFloat64AreInfiniteOrZero) {
  EXPECT_EQ(INFINITY, over("1e999").number());
  EXPECT_EQ(-INFINITY, over("-1e999").number());
  EXPECT_EQ(0, over("1e-999").number());
  EXPECT_EQ(INFINITY, over("1" + std::string(400, '0')).number());
  EXPECT_EQ(INFINITY, over("1" + std::string(400, '0') + "e-5").number());
  EXPECT_EQ(0, over("0." + std::string(400, '0') + "1").number());
  EXPECT_EQ(0, over("0." + std::string(400, '0') + "1e5").number());
  EXPECT_EQ(INFINITY, over("1e99999999999999999999").number());
  EXPECT_EQ(0, over("1e-99999999999999999999").number());
  EXPECT_EQ(0, over("0e99999999999999999999").number());
  EXPECT_TRUE(std::isnan(over("NaN").number()));
  EXPECT_EQ(-INFINITY, over("-Infinity").number());
}

TEST(JsonCursor, IntegersHaveNoFractionAndARange) {
  EXPECT_EQ(7, over("7").integer("n", 0, 7));
  for (const char* text : {"8", "-1", "1.0", "1e0", "99999999999999999999", "NaN"}) {
    EXPECT_CODE(kReplyMalformed, over(text).integer("n", 0, 7)) << text;
  }
}

TEST(JsonCursor, GoesOnBehindWhatWasReadElsewhereUpToItsEnd) {
  const std::string text = "[1]" + std::string(RoomyText::kSlack, ' ');
  const auto advances = [&](std::size_t bytes) {
    JsonCursor json(RoomyText{test::bytesOf(text).first(3)});
    return json.advanceTo(text.data() + bytes) && json.offset() == bytes;
  };
  EXPECT_TRUE(advances(2));
  EXPECT_TRUE(advances(3));
  EXPECT_FALSE(advances(4));
  EXPECT_FALSE(over("1").advanceTo(nullptr));
}

TEST(JsonCursor, ErrorsNameTheByte) {
  EXPECT_NE(std::string::npos, std::string(test::thrownBy([] { skipAll("\"\\u0041"); }).what()).find("at byte 7:"));
  EXPECT_NE(std::string::npos, std::string(test::thrownBy([] { skipAll("[1, x]"); }).what()).find("at byte 4:"));
}

}  // namespace
}  // namespace rolltape
