#include "../../core/reply/engine_failure.h"

#include <gtest/gtest.h>

#include "../support.h"

namespace rolltape {
namespace {

EngineFailure read(std::string_view text) {
  JsonCursor json(test::bytesOf(text));
  const EngineFailure failure = readEngineFailure(json);
  json.finish();
  return failure;
}

TEST(EngineFailure, HasTheMessageAndTheStatus) {
  EXPECT_EQ((EngineFailure{"no", 400}),
            read(R"({"message":"no","type":"BadRequestError","param":"logprobs","code":400})"));
  EXPECT_EQ((EngineFailure{"full", 503}), read(R"({"code":503,"message":"full","retryable":true})"));
}

TEST(EngineFailure, HasNoStatusWhereTheCodeIsNone) {
  for (const char* code :
       {"null", "\"invalid_request\"", "-1", "0", "99", "600", "400.5", "1e999", "[400]", "{}", "true"}) {
    EXPECT_EQ((EngineFailure{"no", std::nullopt}), read(std::string(R"({"message":"no","code":)") + code + "}"))
        << code;
  }
  EXPECT_EQ((EngineFailure{"no", std::nullopt}), read("\"no\""));
  EXPECT_EQ((EngineFailure{}), read("[1]"));
}

TEST(EngineFailure, RefusesWhatIsNotJson) {
  EXPECT_CODE(kReplyMalformed, read(R"({"code":)"));
  EXPECT_CODE(kReplyMalformed, read(R"({"code":4x})"));
}

}  // namespace
}  // namespace rolltape
