#include "../../core/session/stored_interaction.h"

#include <cstddef>

#include "../../core/session/stored_format.h"
#include "../forest.h"
#include "../packed.h"
#include "../stored.h"

namespace rolltape {
namespace {

using Bytes = std::vector<std::uint8_t>;

void expectSameInteractions(const Session& session, const Session& copy) {
  ASSERT_EQ(session.length(), copy.length());
  for (std::uint32_t i = 0; i < session.length(); ++i) {
    const Interaction& at = session.interaction(i);
    const Interaction& made = copy.interaction(i);
    EXPECT_EQ(at.parentIndex(), made.parentIndex());
    EXPECT_EQ(at.rowStart->index, made.rowStart->index);
    EXPECT_EQ(at.depth, made.depth);
    EXPECT_EQ(at.exactFrom, made.exactFrom);
    ASSERT_EQ(at.source == nullptr, made.source == nullptr);
    if (at.source != nullptr) {
      EXPECT_EQ(at.source->index, made.source->index);
    }
    EXPECT_EQ(session.state(i).children, copy.state(i).children);
    EXPECT_EQ(session.state(i).parent, copy.state(i).parent);
    EXPECT_EQ(session.state(i).tokenExact, copy.state(i).tokenExact);
    EXPECT_EQ(at.tokenExact, made.tokenExact);
    EXPECT_EQ(test::stored(session, i), test::stored(copy, i));
  }
}

void expectSameBatch(const Session& session, const Session& copy, const PlanOptions& options) {
  const PlannedSession of[2] = {{&session}, {&copy}};
  const test::Packed expected = test::packed(Plan(std::span(of, 1), options), {});
  const test::Packed packed = test::packed(Plan(std::span(of + 1, 1), options), {});
  ASSERT_EQ(expected.block.size(), packed.block.size());
  EXPECT_EQ(0, std::memcmp(expected.block.data(), packed.block.data(), packed.block.size()));
  EXPECT_EQ(expected.rowCodes, packed.rowCodes);
}

TEST(StoredInteraction, ARestoredSessionIsTheRecordedOne) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    test::Random random(seed);
    test::ModelledSession recorded;
    for (std::uint32_t step = random.below(40); step > 0; --step) recorded.grow(random);
    const Session copy = test::restored(recorded.session, test::kKey);
    expectSameInteractions(recorded.session, copy);
    for (const Layout layout : {Layout::kPadded, Layout::kPacked, Layout::kTree}) {
      PlanOptions options = test::randomOptions(random);
      options.layout = layout;
      if (layout == Layout::kTree) {
        options.turns = false;
        options.maxLength = 0;
      }
      expectSameBatch(recorded.session, copy, options);
    }
    EXPECT_LE(copy.byteLength(), recorded.session.byteLength() * 11 / 10);
  }
}

TEST(StoredInteraction, ARestoredSessionGoesOnLikeTheRecordedOne) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    test::Random random(seed);
    test::ModelledSession recorded;
    for (int step = 0; step < 15; ++step) recorded.grow(random);
    test::ModelledSession copy{test::restored(recorded.session, test::kKey), recorded.model};
    test::Random same = random;
    for (int step = 0; step < 15; ++step) {
      recorded.grow(random);
      copy.grow(same);
    }
    expectSameInteractions(recorded.session, copy.session);
  }
}

/// Returns two turns with everything that a record can have, and a branch of the first.
Session describedSession() {
  Session session(test::kKey);
  const std::vector<std::uint32_t> facts{0, 0xffffffff, 7};
  const auto add = [&](const Prompt& prompt, const std::vector<std::string>& messages, const std::string& answer,
                       std::int32_t parent) {
    Generation generation = test::generationOf({3, 4}, 5);
    generation.append(test::generationOf({0x7fffffff}, -2));
    const std::vector<MessageDigest> digests = test::digestsOf(messages);
    const std::vector<std::string> output{answer};
    RecordInput input{prompt, generation, digests, output, parent};
    input.facts = facts;
    input.labels = {"stop", "", "größe"};
    input.startsRow = true;
    input.callIds = {.input = messages.size() > 1 ? 11u : 0u, .conversation = 1 + session.length()};
    session.record(input);
  };
  add(test::promptOf({1, 2}), {"u"}, "a", -1);
  add(test::promptAfter(session, 0, {8}), {"u", "a", "v"}, "b", 0);
  add(test::promptOf({1, 9}), {"u"}, "a", 0);
  return session;
}

TEST(StoredInteraction, HasAStableFormat) {
  const Bytes expected{
      'R', 'T', 'I', 'N', 1, 0, 3, 0,              // magic, version, flags
      175, 0,   0,   0,   1, 0, 0, 0, 0, 0, 0, 0,  // bytes, index, parent
      5,   0,   0,   0,   6, 0, 0, 0, 3, 0, 0, 0,  // shared, input, output
      2,   0,   0,   0,   3, 0, 0, 0, 3, 0, 0, 0,  // runs, facts, labels
  };
  const Session session = describedSession();
  const Bytes bytes = test::stored(session, 1);
  ASSERT_EQ(175u, bytes.size());
  EXPECT_EQ(expected, Bytes(bytes.begin(), bytes.begin() + 44));
  const MessageDigest input = test::digestsOf(std::vector<std::string>{"u", "a", "v"}).back();
  const MessageDigest conversation = test::digestsOf(std::vector<std::string>{"u", "a", "v", "b"}).back();
  EXPECT_EQ(Bytes(input.begin(), input.end()), Bytes(bytes.begin() + 44, bytes.begin() + 60));
  EXPECT_EQ(Bytes(conversation.begin(), conversation.end()), Bytes(bytes.begin() + 60, bytes.begin() + 76));
  const Bytes rest{
      11,  0,   0,   0,   0,   0,   0,    0,    2,    0,    0,   0,   0,   0,   0,   0,    // call ids
      8,   0,   0,   0,   3,   0,   0,    0,    4,    0,    0,   0,   255, 255, 255, 127,  // input ids, output ids
      0,   0,   192, 190, 0,   0,   0,    191,  0,    0,    128, 205,  // log probabilities: -3/8, -4/8, -2^28
      0,   0,   0,   0,   5,   0,   0,    0,    2,    0,    0,   0,   254, 255, 255, 255,  // version runs
      0,   0,   0,   0,   255, 255, 255,  255,  7,    0,    0,   0,                        // facts
      4,   0,   0,   0,   0,   0,   0,    0,    7,    0,    0,   0,                        // lengths of the labels
      's', 't', 'o', 'p', 'g', 'r', 0xc3, 0xb6, 0xc3, 0x9f, 'e',
  };
  EXPECT_EQ(rest, Bytes(bytes.begin() + 76, bytes.end() - 4));
}

TEST(StoredInteraction, ARestoredSessionFindsParentsByMessagesAndCallIds) {
  const Session copy = test::restored(describedSession(), test::kKey);
  const auto next = test::digestsOf(std::vector<std::string>{"u", "a", "next"});
  EXPECT_EQ(2u, copy.findParent(next)->index);
  EXPECT_EQ(0u, copy.findParent(next, std::vector<std::uint64_t>{0, 1, 1})->index);
  EXPECT_EQ(ParentRule::kMessages, copy.findParent(test::digestsOf(std::vector<std::string>{"u", "rewritten"}))->rule);
}

TEST(StoredInteraction, CallIdsTakeNoSpaceWithoutToolCalls) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), test::generationOf({2}), {"u"}, {"a"});
  EXPECT_EQ(80u + 4 + 8 + 8, test::stored(session, 0).size());
}

TEST(StoredInteraction, AVersionRunWithoutTokensIsNotStored) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1}), Generation({}, {}, {{0, 7}}, {}), {"u"}, {"a"});
  EXPECT_EQ(80u + 4, test::stored(session, 0).size());
  EXPECT_EQ(1u, test::restored(session, test::kKey).length());
}

/// Returns the error for the third interaction of describedSession().
std::string refusal(const Bytes& bytes) {
  const Session session = describedSession();
  Session copy(test::kKey);
  copy.restore(test::stored(session, 0));
  copy.restore(test::stored(session, 1));
  const std::size_t before = copy.byteLength();
  const Error error = test::thrownBy([&] { copy.restore(bytes); });
  EXPECT_EQ(ErrorCode::kStoredInvalid, error.code());
  EXPECT_EQ(2u, copy.length());
  EXPECT_EQ(1u, copy.state(0).children);
  EXPECT_EQ(before, copy.byteLength());
  copy.restore(test::stored(session, 2));
  return error.what();
}

TEST(StoredInteraction, EverySingleChangedBitIsRefused) {
  const Session session = describedSession();
  const Bytes bytes = test::stored(session, 0);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    Session copy(test::kKey);
    EXPECT_CODE(kStoredInvalid, copy.restore(damaged));
    EXPECT_EQ(0u, copy.length());
  }
}

TEST(StoredInteraction, EveryOtherLengthIsRefused) {
  const Session session = describedSession();
  const Bytes bytes = test::stored(session, 2);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Session copy(test::kKey);
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_TRUE(std::string(test::thrownBy([&] { copy.restore(cut); }).what()).starts_with("truncated: "));
  }
  Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_EQ("length: 176 bytes, but the interaction has 175", refusal(longer));
}

TEST(StoredInteraction, RefusesOtherFormatsByName) {
  const Session session = describedSession();
  Bytes bytes = test::stored(session, 2);
  bytes[4] = 7;
  EXPECT_EQ("format version 7: this build reads 1", refusal(bytes));
  bytes.resize(6);
  EXPECT_EQ("format version 7: this build reads 1", refusal(bytes));
  EXPECT_EQ("these bytes are not a serialized interaction", refusal(Bytes(100, '{')));
  EXPECT_EQ("truncated: 0 of 6 bytes", refusal({}));
}

TEST(StoredInteraction, RefusesDamageByItsChecksum) {
  const Session session = describedSession();
  Bytes bytes = test::stored(session, 2);
  bytes[100] ^= 1;
  EXPECT_EQ("checksum: the bytes are damaged", refusal(bytes));
}

/// Overwrites a value and makes the checksum agree with it.
template <typename T>
Bytes changed(Bytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  test::seal(bytes);
  return bytes;
}

TEST(StoredInteraction, RefusesContentThatNoRecordHas) {
  const Session session = describedSession();
  const Bytes bytes = test::stored(session, 2);
  const auto word = [&](std::size_t at, std::uint32_t value) { return refusal(changed(bytes, at, value)); };
  using H = StoredHeader;
  constexpr std::size_t arrays = sizeof(H) + sizeof(CallIds);
  EXPECT_EQ("flags: an unknown flag is set", refusal(changed<std::uint16_t>(bytes, offsetof(H, flags), 18)));
  EXPECT_EQ("index: this is interaction 3, but the next one is 2", word(offsetof(H, index), 3));
  EXPECT_EQ("index: this is interaction 1, but the next one is 2", word(offsetof(H, index), 1));
  EXPECT_EQ("index: more than a session can have", word(offsetof(H, index), 0x7fffffff));
  EXPECT_EQ("parent: not an earlier interaction", word(offsetof(H, parent), 2));
  EXPECT_EQ("parent: not an earlier interaction", word(offsetof(H, parent), 0xfffffffe));
  EXPECT_EQ("shared: a root shares no tokens", word(offsetof(H, parent), 0xffffffff));
  EXPECT_EQ("shared: more than the input tokens", word(offsetof(H, shared), 3));
  EXPECT_EQ("tokens: more than one sequence can have", word(offsetof(H, outputLength), 0x7fffffff));
  for (const std::size_t count :
       {offsetof(H, inputLength), offsetof(H, runCount), offsetof(H, factCount), offsetof(H, labelCount)}) {
    EXPECT_EQ("counts: they need more bytes than there are", word(count, 0x70000000));
  }
  EXPECT_EQ("call ids: there are none, but their flag is set",
            refusal(changed(changed<std::uint64_t>(bytes, sizeof(H), 0), sizeof(H) + 8, std::uint64_t{0})));
  EXPECT_EQ("input ids: an id is negative", word(arrays, 0x80000000));
  EXPECT_EQ("output ids: an id is negative", word(arrays + 12, 0xffffffff));
  EXPECT_EQ("logprobs: not all are finite", word(arrays + 16, 0x7f800000));
  EXPECT_EQ("logprobs: not all are finite", word(arrays + 24, 0xffc00000));
  EXPECT_EQ("version runs: the first does not begin at 0", word(arrays + 28, 1));
  EXPECT_EQ("version runs: not in order within the output", word(arrays + 36, 0));
  EXPECT_EQ("version runs: not in order within the output", word(arrays + 36, 3));
  EXPECT_EQ("labels: longer than the bytes that are left", word(arrays + 56, 12));
  EXPECT_EQ("labels: shorter than the bytes that are left", word(arrays + 56, 3));
  EXPECT_EQ("labels: not UTF-8", refusal(changed<std::uint8_t>(bytes, bytes.size() - 5, 0xc3)));
}

TEST(StoredInteraction, RefusesChannelsThatNoRecordHas) {
  Session session(test::kKey);
  Generation generation = test::generationOf({3, 4});
  const std::vector<std::byte> values(4);
  generation.addChannel({.name = "x", .dtype = Dtype::kU8, .shape = {2}}, 0, values);
  test::record(session, test::promptOf({1}), generation, {"u"}, {"a"});
  const Bytes bytes = test::stored(session, 0);
  // The run, its shape, name and values, before the checksum.
  const std::size_t run = bytes.size() - sizeof(StoredChecksum) - sizeof(StoredChannelRun) - 4 - 1 - 4;
  const auto byte = [&](std::size_t at, std::uint8_t value) { return refusal(changed(bytes, at, value)); };
  const auto word = [&](std::size_t at, std::uint32_t value) { return refusal(changed(bytes, at, value)); };
  using R = StoredChannelRun;
  EXPECT_EQ("channels: there are none, but their flag is set", word(run - 4, 0));
  EXPECT_EQ("channels: more than the bytes that are left", word(run - 4, 2));
  EXPECT_EQ("channels: an unknown dtype", byte(run + offsetof(R, dtype), 9));
  EXPECT_EQ("channels: an unknown flag is set", byte(run + offsetof(R, flags), 4));
  EXPECT_EQ("channels: more than the bytes that are left", byte(run + offsetof(R, rank), 200));
  EXPECT_EQ("channels: more than the bytes that are left", word(run + offsetof(R, items), 3));
  EXPECT_EQ("channels: not within the interaction's own tokens", word(run + offsetof(R, first), 0));
  EXPECT_EQ("channels: not within the interaction's own tokens", word(run + offsetof(R, first), 2));
  EXPECT_EQ("channels: a run is empty or continues another", word(run + offsetof(R, count), 1));
  EXPECT_EQ("channel X: a tensor of a batch cannot have this name", byte(run + sizeof(R) + 4, 'X'));
}

TEST(StoredInteraction, HasTheTokenIdsOfAChannel) {
  const ChannelSpec spec{.name = "x", .dtype = Dtype::kU8, .shape = {2}, .tokenIds = {5, 6}};
  Session session(test::kKey);
  Generation generation = test::generationOf({3});
  generation.addChannel(spec, 0, std::vector<std::byte>(2));
  test::record(session, test::promptOf({1}), generation, {"u"}, {"a"});
  const Bytes bytes = test::stored(session, 0);
  Session restored(test::kKey);
  EXPECT_EQ(spec, *restored.restore(bytes, -1).channels().front().spec);
  // The number of ids and the ids, name and values, before the checksum.
  const std::size_t ids = bytes.size() - sizeof(StoredChecksum) - 2 - 1 - 12;
  EXPECT_EQ("channels: there are no token ids, but their flag is set", refusal(changed(bytes, ids, 0u)));
  EXPECT_EQ("channels: more than the bytes that are left", refusal(changed(bytes, ids, 0x70000000u)));
  EXPECT_EQ("channel x: a token id is negative", refusal(changed(bytes, ids + 4, 0x80000000u)));
}

TEST(StoredInteraction, HasForcedRunsOnlyIfThereAreAny) {
  const auto storedWith = [](std::vector<ForcedRun> runs) {
    Session session(test::kKey);
    Generation generation = test::generationOf({3, 4, 5});
    generation.setForced(std::move(runs));
    test::record(session, test::promptOf({1}), std::move(generation), {"u"}, {"a"});
    return test::stored(session, 0);
  };
  const Bytes bytes = storedWith({{0, 1}, {2, 1}});
  ASSERT_EQ(storedWith({}).size() + 20, bytes.size());
  const std::size_t count = bytes.size() - sizeof(StoredChecksum) - 20;
  EXPECT_EQ((Bytes{2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}),
            Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(count), bytes.end() - sizeof(StoredChecksum)));
  const auto refused = [&](std::size_t at, std::uint32_t value) {
    Session copy(test::kKey);
    return std::string(test::thrownBy([&] { copy.restore(changed(bytes, at, value)); }).what());
  };
  EXPECT_EQ("forced runs: there are none, but their flag is set", refused(count, 0));
  EXPECT_EQ("forced runs: more than the bytes that are left", refused(count, 3));
  EXPECT_EQ("forced runs: more than the bytes that are left", refused(count, 0x80000000));
  for (const auto& [at, value] : std::vector<std::pair<std::size_t, std::uint32_t>>{{count + 8, 0},
                                                                                    {count + 8, 2},
                                                                                    {count + 12, 1},
                                                                                    {count + 12, 3},
                                                                                    {count + 16, 2},
                                                                                    {count + 16, 0xffffffff}}) {
    EXPECT_EQ("forced runs: not in order within the output", refused(at, value));
  }
}

TEST(StoredInteraction, RefusesChannelsOfWhichTheSessionHasOthers) {
  const auto record = [](Session& session, std::vector<std::uint32_t> shape) {
    Generation generation = test::generationOf({3});
    const ChannelSpec spec{.name = "pair", .dtype = Dtype::kU8, .shape = std::move(shape)};
    generation.addChannel(spec, 0, std::vector<std::byte>(spec.itemBytes()));
    test::record(session, test::promptOf({1}), generation, {"u"}, {"a"});
  };
  Session session(test::kKey);
  record(session, {2});
  Session other(test::kKey);
  test::record(other, test::promptOf({1}), test::generationOf({3}), {"u"}, {"a"});
  record(other, {3});
  const Error error = test::thrownBy([&] { session.restore(test::stored(other, 1)); });
  EXPECT_EQ(ErrorCode::kStoredInvalid, error.code());
  EXPECT_STREQ("channel pair: the session has another channel with a tensor of the same name", error.what());
  EXPECT_EQ(1u, session.length());
}

TEST(StoredInteraction, RefusesOutputWithoutVersions) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2}), test::generationOf({3}), {"u"}, {"a"});
  Bytes bytes = changed<std::uint32_t>(test::stored(session, 0), offsetof(StoredHeader, runCount), 0);
  // The bytes of the run become two facts.
  bytes = changed<std::uint32_t>(bytes, offsetof(StoredHeader, factCount), 2);
  Session copy(test::kKey);
  EXPECT_STREQ("version runs: there are none, but output tokens", test::thrownBy([&] { copy.restore(bytes); }).what());
}

TEST(StoredInteraction, RefusesAnotherParentsTokens) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2}), test::generationOf({3}), {"u"}, {"a"});
  test::record(session, test::promptAfter(session, 0, {4, 5}), test::generationOf({6}), {"u", "a", "v"}, {"b"});
  const Bytes child = test::stored(session, 1);
  Session shorter(test::kKey);
  test::record(shorter, test::promptOf({1}), test::generationOf({3}), {"u"}, {"a"});
  EXPECT_STREQ("shared: 3 tokens, but the parent has 2", test::thrownBy([&] { shorter.restore(child); }).what());
  Session longer(test::kKey);
  test::record(longer, test::promptOf({1, 2}), test::generationOf({3, 4}), {"u"}, {"a"});
  EXPECT_STREQ("shared: fewer tokens than the input has in common with its parent",
               test::thrownBy([&] { longer.restore(child); }).what());
  EXPECT_EQ(1u, longer.length());
}

}  // namespace
}  // namespace rolltape
