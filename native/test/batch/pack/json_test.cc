#include "../../../core/batch/pack/json.h"

#include "../../packed.h"
#include "../../support.h"

namespace rolltape {
namespace {

TEST(PackJson, IsThePartsAndTheRowsBetweenThem) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}, 7), {"u"}, {"a"});
  session.setReward(0, 1);
  const Session* one = &session;
  const Plan plan(std::span<const Session* const>(&one, 1), {});
  const HeapBlock block = test::packedJson(plan, std::vector<std::string>{"{\"é\":", "}"});
  EXPECT_EQ(
      "{\"é\":{\"input_ids\":{\"type\":\"tensor\",\"dtype\":\"torch.int32\",\"shape\":[1,2],\"data\":\"AQAAAAIAAAA=\"},"
      "\"loss_mask\":{\"type\":\"tensor\",\"dtype\":\"torch.int32\",\"shape\":[1,2],\"data\":\"AAAAAAEAAAA=\"},"
      "\"logprobs\":{\"type\":\"tensor\",\"dtype\":\"torch.float32\",\"shape\":[1,2],\"data\":\"AAAAAAAAgL4=\"},"
      "\"versions\":{\"type\":\"tensor\",\"dtype\":\"torch.int32\",\"shape\":[1,2],\"data\":\"/////wcAAAA=\"},"
      "\"attention_mask\":{\"type\":\"tensor\",\"dtype\":\"torch.bool\",\"shape\":[1,2],\"data\":\"AQE=\"},"
      "\"rewards\":{\"type\":\"tensor\",\"dtype\":\"torch.float32\",\"shape\":[1],\"data\":\"AACAPw==\"}}}",
      std::string(reinterpret_cast<const char*>(block.data()), block.size()));
}

TEST(PackJson, NeedsOnePartMoreThanRows) {
  EXPECT_EQ(2u, test::packedJson(Plan(test::kNoSessions, {}), std::vector<std::string>{"[]"}).size());
  EXPECT_CODE(kInvalidArg, test::packedJson(Plan(test::kNoSessions, {}), std::vector<std::string>{}));
  EXPECT_CODE(kInvalidArg, test::packedJson(Plan(test::kNoSessions, {}), std::vector<std::string>{"", ""}));
}

}  // namespace
}  // namespace rolltape
