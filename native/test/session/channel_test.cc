#include "../../core/session/channel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "../support.h"

namespace rolltape {
namespace {

const ChannelSpec kPair{.name = "pair", .dtype = Dtype::kU8, .shape = {2}};
const ChannelSpec kPath{.name = "path", .dtype = Dtype::kU8, .ofSequence = true};
const ChannelSpec kBag{.name = "bag", .dtype = Dtype::kU8, .offsets = "bag_offsets"};

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

std::string refusal(const ChannelSpec& spec, std::initializer_list<int> values, std::vector<std::uint32_t> counts = {},
                    std::uint32_t first = 0) {
  Generation generation = test::generationOf({1, 2, 3});
  return test::thrownBy([&] { generation.addChannel(spec, first, bytes(values), counts); }).what();
}

TEST(Channel, RefusesWhatNoBatchCanHave) {
  EXPECT_EQ("channel logprobs: a tensor of a batch cannot have this name", refusal({.name = "logprobs"}, {}));
  EXPECT_EQ("channel mm_token_type_ids: a tensor of a batch cannot have this name",
            refusal({.name = "mm_token_type_ids"}, {}));
  EXPECT_EQ("channel row_x: a tensor of a batch cannot have this name", refusal({.name = "row_x"}, {}));
  EXPECT_EQ("channel A: a tensor of a batch cannot have this name", refusal({.name = "A"}, {}));
  EXPECT_EQ("channel __metadata__: a tensor of a batch cannot have this name", refusal({.name = "__metadata__"}, {}));
  EXPECT_EQ("channel loss: every batch has a tensor loss_mask", refusal({.name = "loss"}, {}));
  EXPECT_EQ("channel attention: every batch has a tensor attention_mask", refusal({.name = "attention"}, {}));
  EXPECT_EQ("channel x: a tensor of a batch cannot have the name x", refusal({.name = "x", .offsets = "x"}, {}));
  EXPECT_EQ("channel x: the dtype must be I32, F32, U16, U8 or BOOL", refusal({.name = "x", .dtype = Dtype::kI64}, {}));
  EXPECT_EQ("channel x: an item must have 1 to 65536 bytes", refusal({.name = "x", .shape = {0}}, {}));
  EXPECT_EQ("channel x: an item must have 1 to 65536 bytes", refusal({.name = "x", .shape = {1, 16385}}, {}));
  EXPECT_EQ("channel x: an item has another number of values than token ids",
            refusal({.name = "x", .shape = {2}, .tokenIds = {5}}, {}));
  EXPECT_EQ("channel x: a token id is negative", refusal({.name = "x", .tokenIds = {-1}}, {}));
  EXPECT_EQ("channel x: the shape has too many dimensions", refusal({.name = "x", .shape = {1, 1, 1, 1, 1}}, {}));
}

TEST(Channel, RefusesItemsThatDoNotFitTheTokens) {
  EXPECT_EQ("channel pair: the values are not whole items", refusal(kPair, {1, 2, 3}));
  EXPECT_EQ("channel pair: counts are for ragged channels", refusal(kPair, {1, 2}, {1}));
  EXPECT_EQ("channel pair: values for 4 tokens, but there are 3", refusal(kPair, {1, 2}, {}, 3));
  EXPECT_EQ("channel x: a BOOL must be 0 or 1", refusal({.name = "x", .dtype = Dtype::kBool}, {0, 1, 2}));
  EXPECT_EQ("channel bag: the counts do not add up to the 3 items", refusal(kBag, {1, 2, 3}, {1, 1}));
  Generation generation = test::generationOf({1, 2, 3});
  generation.addChannel(kPair, 1, bytes({1, 2}));
  const auto add = [&](const ChannelSpec& spec, std::uint32_t first) {
    return std::string(test::thrownBy([&] { generation.addChannel(spec, first, bytes({1, 2})); }).what());
  };
  EXPECT_EQ("channel pair: token 1 has values already", add(kPair, 1));
  EXPECT_EQ("channel pair: its dtype, shape, `of`, `offsets` or token ids differ from before",
            add({.name = "pair", .dtype = Dtype::kU8, .shape = {1, 2}}, 2));
  ASSERT_EQ(1u, generation.channels().size());
  EXPECT_EQ(bytes({1, 2}), generation.channels()[0].values);
}

TEST(Channel, ACallHasFew) {
  Generation generation = test::generationOf({1, 2, 3});
  const auto add = [&](std::size_t number, std::uint32_t first) {
    generation.addChannel({.name = "c" + std::to_string(number), .dtype = Dtype::kU8}, first, bytes({1}));
  };
  for (std::size_t i = 0; i < kMaxChannels; ++i) add(i, 0);
  EXPECT_STREQ("channel c64: a call has at most 64 channels", test::thrownBy([&] { add(64, 0); }).what());
  add(0, 2);
}

TEST(Channel, OutputsOfTheNextPartFollowAndTokensOfTheSequenceKeepTheirFirstItems) {
  Generation first = test::generationOf({1, 2});
  first.addChannel(kPair, 1, bytes({10, 11}));
  first.addChannel(kPath, 0, bytes({1, 2, 3}));
  first.addChannel(kBag, 0, bytes({5, 6}), std::vector<std::uint32_t>{2, 0});
  Generation next = test::generationOf({3});
  next.addChannel(kPair, 0, bytes({20, 21}));
  next.addChannel(kPath, 1, bytes({7, 8, 9}));
  next.addChannel(kBag, 0, bytes({7}), std::vector<std::uint32_t>{1});
  first.append(std::move(next));
  ASSERT_EQ(3u, first.channels().size());
  EXPECT_EQ(1u, first.channels()[0].first);
  EXPECT_EQ(bytes({10, 11, 20, 21}), first.channels()[0].values);
  EXPECT_EQ(bytes({1, 2, 3, 9}), first.channels()[1].values);
  EXPECT_EQ((std::vector<std::uint32_t>{0, 2, 2, 3}), first.channels()[2].starts);
}

template <typename T>
std::vector<T> valuesOf(const Generation& generation, const std::string& name) {
  std::vector<T> values;
  for (const ChannelBuffer& buffer : generation.channels()) {
    if (buffer.spec.name != name) continue;
    values.resize(buffer.values.size() / sizeof(T));
    std::memcpy(values.data(), buffer.values.data(), buffer.values.size());
  }
  return values;
}

TEST(Channel, AlternativesAreThoseOfEachOutputWithThePlacesThatAreAskedFor) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const auto make = [](std::size_t width) {
    Generation generation = test::generationOf({1, 2});
    generation.appendTop(std::vector<std::int32_t>{7, 8, 9, -1}, std::vector<float>{-1, -2, -3, 0}, 2);
    generation.recordTop(width);
    EXPECT_TRUE(generation.top().empty());
    return generation;
  };
  EXPECT_EQ((std::vector<std::int32_t>{7, 9}), valuesOf<std::int32_t>(make(1), "top_ids"));
  EXPECT_EQ((std::vector<float>{-1, -3}), valuesOf<float>(make(1), "top_logprobs"));
  const Generation wide = make(3);
  EXPECT_EQ((std::vector<std::int32_t>{7, 8, -1, 9, -1, -1}), valuesOf<std::int32_t>(wide, "top_ids"));
  EXPECT_EQ((std::vector<float>{-1, -2, none, -3, none, none}), valuesOf<float>(wide, "top_logprobs"));
  EXPECT_EQ((ChannelSpec{.name = "top_ids", .dtype = Dtype::kI32, .shape = {3}}), wide.channels().front().spec);
  Generation without = test::generationOf({1});
  without.recordTop(2);
  EXPECT_TRUE(without.channels().empty());
}

TEST(Channel, OutputsAreCutWithTheirTokens) {
  Generation generation = test::generationOf({1, 2, 3});
  generation.addChannel(kPair, 0, bytes({1, 2}));
  generation.addChannel(kPair, 2, bytes({5, 6}));
  generation.addChannel(kBag, 0, bytes({1, 2, 3}), std::vector<std::uint32_t>{1, 2});
  generation.addChannel(kPath, 0, bytes({1, 2, 3, 4}));
  generation.truncate(1, 2);
  ASSERT_EQ(3u, generation.channels().size());
  EXPECT_EQ(bytes({1, 2}), generation.channels()[0].values);
  EXPECT_EQ(bytes({1}), generation.channels()[1].values);
  EXPECT_EQ(bytes({1, 2}), generation.channels()[2].values);
}

TEST(Channel, OfSequencesStayWhereTheirRequestIsNotCut) {
  // A prompt of two tokens and two requests; the stream of the second breaks before the frame with its items.
  Generation generation = test::generationOf({1, 2});
  generation.addChannel(kPath, 0, bytes({10, 11, 1}));
  generation.append(test::generationOf({3, 4, 5}));
  generation.truncate(2, 2);
  ASSERT_EQ(1u, generation.channels().size());
  EXPECT_EQ(bytes({10, 11, 1}), generation.channels().front().values);
}

TEST(Channel, ARestartedOutputHasItsOwnItems) {
  // A prompt of two tokens. The last output has no item.
  Generation generation = test::generationOf({1, 2, 3});
  generation.addChannel(kPath, 0, bytes({10, 11, 1, 2}));
  generation.truncate(0, 2);
  Generation again = test::generationOf({4, 5, 6, 7});
  again.addChannel(kPath, 0, bytes({10, 11, 4, 5, 6}));
  generation.append(std::move(again));
  ASSERT_EQ(1u, generation.channels().size());
  EXPECT_EQ(bytes({10, 11, 4, 5, 6}), generation.channels()[0].values);
}

TEST(Channel, OfACallThatIsRefusedAreInNoBatch) {
  Session session(test::kKey);
  Generation generation = test::generationOf({8});
  generation.addChannel(kPair, 0, bytes({1, 2}));
  const Prompt prompt = test::promptOf({1});
  const std::vector<std::uint32_t> facts(kMaxFacts + 1);
  RecordInput input{prompt, generation, {}, {}};
  input.facts = facts;
  EXPECT_EQ(ErrorCode::kInvalidArg, test::thrownBy([&] { session.record(input); }).code());
  EXPECT_TRUE(session.storage()->channelSpecs.empty());
}

TEST(Channel, EveryRunCountsAsMemory) {
  Session session(test::kKey);
  Generation generation = test::generationOf(std::vector<std::int32_t>(2000, 8));
  for (std::uint32_t i = 0; i < 1000; ++i) generation.addChannel(kPair, 2 * i, bytes({1, 2}));
  test::record(session, test::promptOf({1}), generation, {"u"}, {"a"});
  EXPECT_GT(session.byteLength(), 1000 * sizeof(ChannelRun));
}

TEST(Channel, ASessionHasOneChannelOfAName) {
  Session session(test::kKey);
  const auto record = [&](const ChannelSpec& spec, std::size_t bytes) {
    Generation generation = test::generationOf({8});
    generation.addChannel(spec, 0, std::vector<std::byte>(bytes));
    test::record(session, test::promptOf({1}), generation, {"u"}, {"a"});
  };
  record(kPair, 2);
  const std::string problem = "the session has another channel with a tensor of the same name";
  const ChannelSpec wider{.name = "pair", .dtype = Dtype::kU8, .shape = {3}};
  const ChannelSpec mask{.name = "pair_mask", .dtype = Dtype::kU8};
  EXPECT_EQ("channel pair: " + problem, test::thrownBy([&] { record(wider, 3); }).what());
  EXPECT_EQ("channel pair_mask: " + problem, test::thrownBy([&] { record(mask, 1); }).what());
  EXPECT_EQ(1u, session.length());
  record(kPair, 2);
  EXPECT_EQ(2u, session.length());
}

TEST(Channel, ASessionKeepsTheItemsOfItsOwnTokens) {
  Session session(test::kKey);
  Generation first = test::generationOf({8, 9});
  // Items of tokens 1, 2, 3 and 8. Token 8 has none.
  first.addChannel(kPath, 0, bytes({1, 2, 3, 8}));
  test::record(session, test::promptOf({1, 2, 3}), first, {"u"}, {"a"});
  Generation next = test::generationOf({5});
  next.addChannel(kPath, 0, bytes({101, 102, 103, 108, 9, 4, 77}));
  test::record(session, test::promptOf({1, 2, 3, 8, 9, 4}), next, {"u", "a", "v"}, {"b"}, 0);
  const std::span<const ChannelRun> own = session.interaction(1).channels();
  ASSERT_EQ(1u, own.size());
  EXPECT_EQ(4u, own[0].first);
  const std::span<const std::byte> values = own[0].bytes(4, 7);
  EXPECT_EQ(bytes({9, 4, 77}), std::vector<std::byte>(values.begin(), values.end()));
}

/// A generation that is consumed gives long channels away without a copy, unless its buffer has much else.
TEST(Channel, OfAConsumedGenerationStaysWhereItIs) {
  const ChannelSpec spec{.name = "experts", .dtype = Dtype::kU8, .shape = {64}, .ofSequence = true};
  for (const bool isConsumed : {true, false}) {
    for (const std::size_t count : {std::size_t{10}, std::size_t{2000}}) {
      for (const std::size_t spare : {std::size_t{0}, std::size_t{100'000}}) {
        Generation generation = test::generationOf(std::vector<std::int32_t>(count, 4));
        std::vector<std::byte> values((3 + count - 1) * 64, std::byte{7});
        values.front() = std::byte{1};
        values.back() = std::byte{2};
        values.reserve(values.size() + spare);
        const std::vector<std::byte> expected = values;
        generation.addChannel(spec, 0, std::move(values));
        const std::byte* const place = generation.channels()[0].values.data();
        Session session(test::kKey);
        const std::size_t before = session.byteLength();
        const Prompt prompt = test::promptOf({1, 2, 3});
        RecordInput input{prompt, generation, {}, {}, -1};
        if (isConsumed) input.consumed = &generation;
        const Interaction& made = session.record(input);
        ASSERT_EQ(1u, made.channels().size());
        const ChannelRun& run = made.channels()[0];
        const std::span<const std::byte> kept = run.bytes(0, run.end());
        EXPECT_TRUE(std::ranges::equal(expected, kept));
        EXPECT_EQ(isConsumed && count == 2000 && spare == 0, run.values == place);
        EXPECT_EQ(run.values == place, generation.channels()[0].values.empty());
        EXPECT_GT(session.byteLength(), before + expected.size());
        EXPECT_LT(session.byteLength(), before + expected.size() + count * 8 + 10'000);
      }
    }
  }
}

}  // namespace
}  // namespace rolltape
