#include "../../core/reply/routed_experts.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "../../core/base/base64.h"
#include "../../core/reply/sglang/reply.h"
#include "../../core/reply/sglang/stream.h"
#include "../../core/reply/vllm/reply.h"
#include "../../core/reply/vllm/stream.h"
#include "stream_support.h"

namespace rolltape {
namespace {

/// Rows of experts, row after row.
using Rows = std::vector<std::uint32_t>;

std::string base64(const std::string& bytes) {
  std::string text(base64Length(bytes.size()), '?');
  writeBase64(test::bytesOf(bytes), text.data());
  return text;
}

template <typename T>
std::string bytesOfValues(const Rows& rows) {
  std::string bytes;
  for (const std::uint32_t value : rows) {
    const T stored = static_cast<T>(value);
    bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
  }
  return bytes;
}

std::string shapeText(std::size_t rows, const RoutedExperts& asked) {
  return "(" + std::to_string(rows) + ", " + std::to_string(asked.layers) + ", " + std::to_string(asked.topK) + ")";
}

/// A file as numpy.save writes it. `padding` varies where in a group of three bytes the values begin.
std::string npy(const std::string& descr, const std::string& order, const std::string& shape, const std::string& values,
                std::size_t padding = 20) {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }" +
                             std::string(padding, ' ') + "\n";
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  return file + header + values;
}

std::string npyOf(const Rows& rows, const RoutedExperts& asked, std::size_t padding) {
  const bool isSmall = asked.experts <= 256;
  const std::string values = isSmall ? bytesOfValues<std::uint8_t>(rows) : bytesOfValues<std::uint16_t>(rows);
  return npy(isSmall ? "|u1" : "<u2", "False", shapeText(rows.size() / (asked.layers * asked.topK), asked), values,
             padding);
}

std::string tokensText(std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(i + 1);
  return text + "]";
}

/// A reply of `count` tokens, the last of `total`, with `members` of its choice.
std::string vllmReply(std::size_t count, const std::string& members) {
  std::string content = "[";
  for (std::size_t i = 0; i < count; ++i) {
    content += (i == 0 ? "" : ",") + std::string("{\"token_id\":") + std::to_string(i + 1) + ",\"logprob\":-1}";
  }
  return "{\"choices\":[{\"token_ids\":" + tokensText(count) + ",\"logprobs\":{\"content\":" + content + "]}" +
         members + "}]}";
}

std::string sglangReply(std::size_t count, const std::string& members) {
  std::string logprobs = "[";
  for (std::size_t i = 0; i < count; ++i)
    logprobs += (i == 0 ? "" : ",") + std::string("[-1,") + std::to_string(i + 1) + ",null]";
  return "{\"output_ids\":" + tokensText(count) + ",\"meta_info\":{\"completion_tokens\":" + std::to_string(count) +
         ",\"output_token_logprobs\":" + logprobs + "]" + members + "}}";
}

std::string member(const std::string& text) {
  return ",\"routed_experts\":\"" + text + "\"";
}

Rows randomRows(test::Random& random, const RoutedExperts& asked, std::size_t rows) {
  Rows values(rows * asked.layers * asked.topK);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random.below(asked.experts));
  return values;
}

/// The values of the one channel of a generation, which begins at `first`.
Rows recorded(const Generation& generation, std::uint32_t first) {
  if (generation.channels().empty()) return {};
  const ChannelBuffer& buffer = generation.channels().front();
  EXPECT_EQ("routed_experts", buffer.spec.name);
  EXPECT_TRUE(buffer.spec.ofSequence);
  EXPECT_EQ(first, buffer.first);
  Rows values;
  const std::size_t size = dtypeBytes(buffer.spec.dtype);
  for (std::size_t i = 0; i < buffer.values.size(); i += size) {
    std::uint32_t value = 0;
    std::memcpy(&value, buffer.values.data() + i, size);
    values.push_back(value);
  }
  return values;
}

RoutedExperts randomModel(test::Random& random) {
  RoutedExperts asked{.layers = 1 + static_cast<std::uint32_t>(random.below(5)),
                      .topK = 1 + static_cast<std::uint32_t>(random.below(4)),
                      .experts = random.chance(0.5) ? 1 + static_cast<std::uint32_t>(random.below(256)) : 300,
                      .promptLength = 1 + static_cast<std::uint32_t>(random.below(9))};
  asked.start = static_cast<std::uint32_t>(random.below(asked.promptLength + 1));
  return asked;
}

Rows rowsFrom(const Rows& rows, const RoutedExperts& asked, std::size_t first) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(first * asked.layers * asked.topK), rows.end()};
}

TEST(RoutedExperts, AreReadFromWholeRepliesAndStreamsOfBothEngines) {
  test::Random random(6);
  for (int round = 0; round < 400; ++round) {
    const RoutedExperts asked = randomModel(random);
    const std::size_t count = 1 + random.below(6);
    const std::size_t end = asked.promptLength + count - 1;
    const Rows rows = randomRows(random, asked, end);
    const Rows wanted = rowsFrom(rows, asked, asked.start);
    // An older server sends every row.
    const Rows& sent = random.chance(0.3) ? rows : wanted;
    const std::string npyText = base64(npyOf(sent, asked, random.below(40)));
    const std::string int32Text = base64(bytesOfValues<std::uint32_t>(sent));

    const std::string vllm = vllmReply(count, member(npyText) + ",\"finish_reason\":\"length\"");
    const std::string sglang = sglangReply(count, member(int32Text) + ",\"finish_reason\":{\"type\":\"length\"}");
    EngineReply reply = readVllmReply(test::bytesOf(vllm), 0, 0, {asked});
    EXPECT_TRUE(reply.hasExperts);
    ASSERT_EQ(wanted, recorded(reply.tokens, asked.start)) << round;
    ASSERT_EQ(wanted, recorded(readSglangReply(test::bytesOf(sglang), 0, {asked}).tokens, asked.start)) << round;

    Generation fromVllm;
    ReplyStream stream(std::make_unique<VllmStream>(fromVllm, 0, 0, AskedValues{asked}));
    test::pushInPieces(stream, fromVllm, "data: " + vllm + "\n\ndata: [DONE]\n\n", random);
    EXPECT_TRUE(stream.end(fromVllm).hasExperts);
    ASSERT_EQ(wanted, recorded(fromVllm, asked.start)) << round;

    Generation fromSglang;
    ReplyStream frames(std::make_unique<SglangStream>(fromSglang, 0, AskedValues{asked}));
    const std::string earlier = count > 1 ? "data: " + sglangReply(count - 1, "") + "\n\n" : "";
    test::pushInPieces(frames, fromSglang, earlier + "data: " + sglang + "\n\ndata: [DONE]\n\n", random);
    EXPECT_TRUE(frames.end(fromSglang).hasExperts);
    ASSERT_EQ(wanted, recorded(fromSglang, asked.start)) << round;
  }
}

/// Sent by vLLM 0.32 for a prompt of 40 tokens and 6 outputs, from token 39 on.
constexpr const char* kFromVllm =
    "k05VTVBZAQB2AHsnZGVzY3InOiAnfHUxJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDYsIDMsID"
    "IpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAIGBQMA"
    "AAIGBgUAAAACBQYAAAIGBgUAAAACBQYAAAIGAwU=";

TEST(RoutedExperts, AreReadAsVllmSendsThem) {
  const RoutedExperts asked{.layers = 3, .topK = 2, .experts = 8, .promptLength = 40, .start = 39};
  const Rows wanted{0, 0, 2, 6, 5, 3, 0, 0, 2, 6, 6, 5, 0, 0, 0, 2, 5, 6,
                    0, 0, 2, 6, 6, 5, 0, 0, 0, 2, 5, 6, 0, 0, 2, 6, 3, 5};
  EXPECT_EQ(wanted, recorded(readVllmReply(test::bytesOf(vllmReply(6, member(kFromVllm))), 0, 0, {asked}).tokens, 39));
}

TEST(RoutedExperts, OfAResumedCallFollowThoseOfItsFirstReply) {
  test::Random random(7);
  for (int round = 0; round < 100; ++round) {
    RoutedExperts asked = randomModel(random);
    const RoutedExperts first = asked;
    const std::size_t before = 1 + random.below(4);
    const std::size_t after = 1 + random.below(4);
    const Rows rows = randomRows(random, asked, asked.promptLength + before + after - 1);
    const std::size_t width = std::size_t{asked.layers} * asked.topK;
    const auto reply = [&](std::size_t from, std::size_t end, std::size_t count) {
      const Rows part(rows.begin() + static_cast<std::ptrdiff_t>(from * width),
                      rows.begin() + static_cast<std::ptrdiff_t>(end * width));
      return vllmReply(count, member(base64(npyOf(part, asked, 7))) + ",\"finish_reason\":\"abort\"");
    };
    Generation generation;
    generation.append(
        readVllmReply(test::bytesOf(reply(asked.start, asked.promptLength + before - 1, before)), 0, 0, {asked})
            .tokens);
    asked.promptLength += static_cast<std::uint32_t>(before);
    asked.start = asked.promptLength - 1;
    generation.append(
        readVllmReply(test::bytesOf(reply(asked.start, rows.size() / width, after)), 0, 0, {asked}).tokens);
    ASSERT_EQ(rowsFrom(rows, asked, first.start), recorded(generation, first.start)) << round;
  }
}

TEST(RoutedExperts, OfRepliesToRequestsWithoutThemArePassedOver) {
  const std::string text = member("no base64");
  EXPECT_TRUE(readVllmReply(test::bytesOf(vllmReply(2, text)), 0, 0).tokens.channels().empty());
  EXPECT_TRUE(readSglangReply(test::bytesOf(sglangReply(2, text)), 0).tokens.channels().empty());
}

TEST(RoutedExperts, MayBeMissing) {
  const RoutedExperts asked{.layers = 2, .topK = 2, .experts = 8, .promptLength = 3};
  for (const char* const text : {"", ",\"routed_experts\":null"}) {
    EXPECT_FALSE(readVllmReply(test::bytesOf(vllmReply(2, text)), 0, 0, {asked}).hasExperts);
    EXPECT_FALSE(readSglangReply(test::bytesOf(sglangReply(2, text)), 0, {asked}).hasExperts);
  }
  // A call that was aborted in the queue sampled nothing.
  const std::string aborted = ",\"finish_reason\":{\"type\":\"abort\"}" + member("");
  EXPECT_EQ(0u, readSglangReply(test::bytesOf(sglangReply(0, aborted)), 0, {asked}).tokens.length());
}

TEST(RoutedExperts, AreRefusedIfTheyAreNotThoseOfTheModelAndTheTokens) {
  const RoutedExperts asked{.layers = 2, .topK = 2, .experts = 8, .promptLength = 3, .start = 1};
  // Three tokens of the prompt and two outputs have rows 1 to 3.
  const std::string values(12, '\1');
  const auto vllm = [&](const std::string& file) {
    return test::thrownBy([&] { readVllmReply(test::bytesOf(vllmReply(2, member(base64(file)))), 0, 0, {asked}); })
        .code();
  };
  const auto sglang = [&](const std::string& text) {
    return test::thrownBy([&] { readSglangReply(test::bytesOf(sglangReply(2, member(text))), 0, {asked}); }).code();
  };
  EXPECT_NO_THROW(readVllmReply(test::bytesOf(vllmReply(2, member(base64(npy("|u1", "False", "(3, 2, 2)", values))))),
                                0, 0, {asked}));
  for (const std::string& file : {
           npy("|u1", "True", "(3, 2, 2)", values),
           npy("<i4", "False", "(3, 2, 2)", values),
           npy("<u2", "False", "(3, 2, 2)", values + values),
           npy("|u1", "False", "(3, 4)", values),
           npy("|u1", "False", "(3, 1, 4)", values),
           npy("|u1", "False", "(2, 2, 2)", values),
           npy("|u1", "False", "(2, 2, 2)", std::string(8, '\1')),
           npy("|u1", "False", "(5, 2, 2)", std::string(20, '\1')),
           npy("|u1", "False", "(3, 2, 2)", std::string(12, '\x08')),
           npy("|u1", "False", "()", ""),
           npy("|u1", "False", "(99999999999999999999, 2, 2)", values),
       }) {
    EXPECT_EQ(ErrorCode::kReplyImpossible, vllm(file)) << file;
  }
  const std::string whole = npy("|u1", "False", "(3, 2, 2)", values);
  EXPECT_EQ(ErrorCode::kReplyMalformed, vllm("NUMPY"));
  EXPECT_EQ(ErrorCode::kReplyMalformed, vllm("X" + whole.substr(1)));
  EXPECT_EQ(ErrorCode::kReplyMalformed, vllm(whole.substr(0, 40)));
  EXPECT_EQ(ErrorCode::kReplyMalformed, sglang("AAA"));
  std::string damaged(64, 'A');
  damaged.back() = '?';
  EXPECT_EQ(ErrorCode::kReplyMalformed, sglang(damaged));
  EXPECT_EQ(ErrorCode::kReplyImpossible, sglang(base64(std::string(15, '\0'))));
  EXPECT_EQ(ErrorCode::kReplyImpossible, sglang(base64(std::string(32, '\0'))));
  EXPECT_EQ(ErrorCode::kReplyImpossible, sglang(base64(bytesOfValues<std::uint32_t>(Rows(12, 8)))));
  EXPECT_EQ(ErrorCode::kReplyImpossible, sglang(base64(bytesOfValues<std::uint32_t>(Rows(12, 0xffffffff)))));
}

/// Padding is at the end of a text only, however it is cut.
TEST(RoutedExperts, AreRefusedWithPaddingInTheMiddle) {
  const RoutedExperts asked{.layers = 1, .topK = 1, .experts = 300, .promptLength = 3000};
  const auto replaced = [](std::string text, std::size_t end) { return text.replace(end - 2, 2, "=="); };
  const std::string int32s = base64(bytesOfValues<std::uint32_t>(Rows(3001, 7)));
  for (const std::size_t end : {std::size_t{4}, std::size_t{4096}, std::size_t{8192}, std::size_t{8196}}) {
    const std::string reply = sglangReply(2, member(replaced(int32s, end)));
    EXPECT_CODE(kReplyMalformed, readSglangReply(test::bytesOf(reply), 0, {asked})) << end;
  }
  for (std::size_t padding = 0; padding < 12; ++padding) {
    const std::string file = npyOf(Rows(3001, 7), asked, padding);
    const std::size_t header = file.find('\n') + 1;
    for (const std::size_t end : {std::size_t{16}, (header + 2) / 3 * 4, std::size_t{4096}}) {
      const std::string reply = vllmReply(2, member(replaced(base64(file), end)));
      EXPECT_CODE(kReplyMalformed, readVllmReply(test::bytesOf(reply), 0, 0, {asked})) << padding;
    }
  }
}

/// The result of a stream: its tokens and experts, or the code of the error that refused it.
struct Outcome {
  std::vector<std::int32_t> ids;
  Rows experts;
  std::optional<ErrorCode> error;

  bool operator==(const Outcome&) const = default;
};

/// Reads a stream that is cut at these places.
Outcome readCut(bool isSglang, const RoutedExperts& asked, const std::string& text, std::vector<std::size_t> cuts) {
  Generation into;
  const AskedValues values{asked};
  ReplyStream stream(isSglang ? std::unique_ptr<FrameReader>(std::make_unique<SglangStream>(into, 0, values))
                              : std::make_unique<VllmStream>(into, 0, 0, values));
  Outcome outcome;
  cuts.push_back(text.size());
  try {
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
      stream.push(test::bytesOf(text).subspan(from, cut - from), into);
      from = cut;
    }
    stream.end(into);
  } catch (const Error& error) {
    outcome.error = error.code();
  }
  outcome.ids.assign(into.ids().begin(), into.ids().end());
  outcome.experts = recorded(into, asked.start);
  return outcome;
}

/// Cuts a stream at each place, and once at each pair of neighboring ones.
void expectSameHoweverCut(bool isSglang, const RoutedExperts& asked, const std::string& text) {
  const Outcome whole = readCut(isSglang, asked, text, {});
  std::vector<std::size_t> everywhere;
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    ASSERT_EQ(whole, readCut(isSglang, asked, text, {cut})) << text << cut;
    ASSERT_EQ(whole, readCut(isSglang, asked, text, {cut, cut + 1})) << text << cut;
    everywhere.push_back(cut);
  }
  ASSERT_EQ(whole, readCut(isSglang, asked, text, everywhere)) << text;
}

TEST(RoutedExperts, OfAStreamAreTheSameWhereverItIsCut) {
  const RoutedExperts asked{.layers = 2, .topK = 2, .experts = 70, .promptLength = 3, .start = 1};
  const Rows rows{1, 2, 3, 4, 5, 6, 7, 8, 9, 69, 0, 62};
  const std::string int32s = base64(bytesOfValues<std::uint32_t>(rows));
  const std::string file = base64(npyOf(rows, asked, 20));
  const auto frames = [](const std::string& before, const std::string& last) {
    return (before.empty() ? "" : "data: " + before + "\n\n") + "data: " + last + "\n\ndata: [DONE]\n\n";
  };
  const std::string finish = ",\"finish_reason\":{\"type\":\"length\"}";
  const std::string vllmFinish = ",\"finish_reason\":\"length\"";
  const std::string good = frames(sglangReply(1, ""), sglangReply(2, member(int32s) + finish));
  const std::string goodFile = frames("", vllmReply(2, member(file) + vllmFinish));
  ASSERT_EQ(rows, readCut(true, asked, good, {}).experts);
  ASSERT_EQ(rows, readCut(false, asked, goodFile, {}).experts);
  std::string escaped = file;
  for (std::size_t at = 0; (at = escaped.find('/', at)) != std::string::npos; at += 2) escaped.insert(at, 1, '\\');
  std::vector<std::string> members{
      member(int32s), ",\"routed_experts\" : \"" + int32s + "\"", ",\"routed_experts\":null",
      member("") + member(int32s), member(int32s) + ",\"routed_experts\":null",
      // A text that looks like the member, and members of something else.
      ",\"text\":\"{\\\"routed_experts\\\":\\\"AAA\"" + member(int32s),
      ",\"other\":{\"routed_experts\":\"no base64, \\\" \\u0041\"}" + member(int32s),
      member(int32s) + ",\"other\":{\"routed_experts\":\"AAAAAA\"}",
      ",\"other\":{\"routed_experts\":\"\\q\"}" + member(int32s), ",\"other\":[\"routed_experts\"]" + member(int32s),
      // Experts that are refused.
      member(int32s.substr(0, 8)), member("AAA"), member("AAAA\\"),
      member(base64(bytesOfValues<std::uint32_t>(Rows(12, 70)))), ",\"routed_experts\":\"" + int32s};
  for (const std::string& each : members) {
    expectSameHoweverCut(true, asked, frames(sglangReply(1, ""), sglangReply(2, each + finish)));
  }
  for (const std::string& text : {file, escaped, file.substr(0, 40), base64(npy("|u1", "False", "(3, 2, 2)", "no"))}) {
    expectSameHoweverCut(false, asked, frames("", vllmReply(2, member(text) + vllmFinish)));
  }
}

TEST(RoutedExperts, OfAStreamThatEndsEarlyAreNotRecorded) {
  const RoutedExperts asked{.layers = 2, .topK = 2, .experts = 70, .promptLength = 3, .start = 1};
  const std::string int32s = base64(bytesOfValues<std::uint32_t>(Rows(12, 69)));
  const std::string first = "data: " + sglangReply(1, "") + "\n\n";
  const std::string frame = "data: " + sglangReply(2, member(int32s) + ",\"finish_reason\":{\"type\":\"length\"}");
  for (std::size_t length = 1; length <= frame.size(); ++length) {
    const Outcome outcome = readCut(true, asked, first + frame.substr(0, length), {first.size() + length / 2});
    ASSERT_EQ(ErrorCode::kReplyMalformed, outcome.error) << length;
    ASSERT_EQ(std::vector<std::int32_t>{1}, outcome.ids) << length;
    ASSERT_TRUE(outcome.experts.empty()) << length;
  }
}

/// The reader of values of two bytes sees each of them in one piece.
TEST(RoutedExperts, OfManyExpertsAreReadHoweverTheyAreCut) {
  const RoutedExperts asked{.layers = 1, .topK = 3, .experts = 300, .promptLength = 3};
  for (std::size_t padding = 0; padding < 6; ++padding) {
    for (const std::uint32_t largest : {299u, 300u}) {
      Rows rows(12, 255);
      rows.back() = largest;
      const std::string reply =
          vllmReply(2, member(base64(npyOf(rows, asked, padding))) + ",\"finish_reason\":\"stop\"");
      const std::string text = "data: " + reply + "\n\ndata: [DONE]\n\n";
      EXPECT_EQ(largest == 300, readCut(false, asked, text, {}).error == ErrorCode::kReplyImpossible);
      expectSameHoweverCut(false, asked, text);
    }
  }
}

TEST(RoutedExperts, MayBeNoRowsIfNoneAreDue) {
  const RoutedExperts asked{.layers = 3, .topK = 2, .experts = 8, .promptLength = 3, .start = 3};
  const std::string reply = vllmReply(1, member(base64(npyOf({}, asked, 3))));
  EXPECT_TRUE(readVllmReply(test::bytesOf(reply), 0, 0, {asked}).tokens.channels().empty());
}

TEST(RoutedExperts, AreAskedForFromTheFirstTokenThatHasNone) {
  const RoutedExperts asked{.layers = 1, .topK = 1, .experts = 9, .promptLength = 3};
  Session session(test::kKey);
  const Prompt first = test::promptOf({1, 2, 3});
  EXPECT_EQ(0u, first.firstUnrecorded("routed_experts"));
  Generation generation = test::generationOf({4, 5});
  addExperts(generation, asked, ExpertRows(4), 2);
  test::record(session, first, generation, {"a"}, {"b"});
  // The model did not run on token 4, the last one. The turn after that has its row, and a branch shares less.
  EXPECT_EQ(4u, test::promptSharing(session, 0, {1, 2, 3, 4, 5, 6}).firstUnrecorded("routed_experts"));
  EXPECT_EQ(2u, test::promptSharing(session, 0, {1, 2, 9, 9}).firstUnrecorded("routed_experts"));
  EXPECT_EQ(4u, test::promptSharing(session, 0, {1, 2, 3, 4, 5, 6}).firstUnrecorded("another"));
  EXPECT_EQ(1u, test::promptSharing(session, 0, {1, 2, 9, 9}).firstUnrecorded("another"));
}

}  // namespace
}  // namespace rolltape
