#include "../../core/reply/request_body.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

std::string bodyOf(std::string_view prefix, const Prompt& prompt, const Generation* partial, std::string_view suffix) {
  const RequestBody body(prefix, prompt, partial, suffix);
  std::string text(body.byteLength(), '?');
  body.write(text.data());
  return text;
}

TEST(RequestBody, IsThePrefixTheIdsAndTheSuffix) {
  EXPECT_EQ("{\"input_ids\":[1,22,333],\"é\":1}",
            bodyOf("{\"input_ids\":", test::promptOf({1, 22, 333}), nullptr, ",\"é\":1}"));
}

TEST(RequestBody, AnEmptyPromptIsAnEmptyArray) {
  EXPECT_EQ("<[]>", bodyOf("<", test::promptOf({}), nullptr, ">"));
}

TEST(RequestBody, AResumedGenerationFollowsThePrompt) {
  const Generation partial = test::generationOf({7, 8});
  EXPECT_EQ("[1,7,8]", bodyOf("", test::promptOf({1}), &partial, ""));
  EXPECT_EQ("[7,8]", bodyOf("", test::promptOf({}), &partial, ""));
  const Generation nothing;
  EXPECT_EQ("[1]", bodyOf("", test::promptOf({1}), &nothing, ""));
}

TEST(RequestBody, WritesEveryNumberOfDigits) {
  std::vector<std::int32_t> ids{0, 2147483647};
  for (std::int64_t power = 10; power < 2147483647; power *= 10) {
    ids.push_back(static_cast<std::int32_t>(power - 1));
    ids.push_back(static_cast<std::int32_t>(power));
  }
  std::string expected;
  for (const std::int32_t id : ids) expected += (expected.empty() ? "[" : ",") + std::to_string(id);
  EXPECT_EQ(expected + "]", bodyOf("", test::promptOf(ids), nullptr, ""));
}

TEST(RequestBody, WritesAnyIdAnywhereInTheArray) {
  test::Random random(8);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int32_t> ids(random.below(40));
    std::string expected;
    for (std::int32_t& id : ids) {
      id = static_cast<std::int32_t>(random.below(1u << 31) >> random.below(31));
      expected += (expected.empty() ? "" : ",") + std::to_string(id);
    }
    const std::string suffix(random.below(12), '}');
    ASSERT_EQ("{[" + expected + "]" + suffix, bodyOf("{", test::promptOf(ids), nullptr, suffix));
  }
}

TEST(RequestBody, AHistoryIsWrittenFromItsSpans) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2}), test::generationOf({3}), {"u"}, {"a"});
  test::record(session, test::promptAfter(session, 0, {4}), test::generationOf({5}), {"u", "a", "v"}, {"b"});
  EXPECT_EQ("[1,2,3,4,5,6]", bodyOf("", test::promptAfter(session, 1, {6}), nullptr, ""));
}

}  // namespace
}  // namespace rolltape
