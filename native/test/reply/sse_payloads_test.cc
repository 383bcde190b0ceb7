#include "../../core/reply/sse_payloads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "../support.h"

namespace rolltape {
namespace {

using Texts = std::vector<std::string>;

/// The payloads of a text that comes in pieces which end before these bytes.
Texts payloads(std::string_view text, const std::vector<std::size_t>& cuts) {
  SsePayloads events;
  Texts found;
  std::size_t from = 0;
  const auto push = [&](std::size_t to) {
    events.push(test::bytesOf(text.substr(from, to - from)), [&](RoomyText payload) {
      const auto* text = reinterpret_cast<const char*>(payload.bytes.data());
      // The slack can be read.
      EXPECT_LE(0, std::count(text, text + payload.bytes.size() + RoomyText::kSlack, 'x'));
      found.emplace_back(text, payload.bytes.size());
    });
    from = to;
  };
  for (const std::size_t cut : cuts) push(cut);
  push(text.size());
  EXPECT_TRUE(events.atLineStart());
  return found;
}

TEST(SsePayloads, AreWhatFollowsDataInEachLine) {
  EXPECT_EQ((Texts{"{\"a\":1}", "[DONE]"}), payloads("data: {\"a\":1}\n\ndata: [DONE]\n\n", {}));
  EXPECT_EQ((Texts{"x", " y", ""}), payloads("data:x\r\n\r\ndata:  y\r\n\r\ndata:\n\n", {}));
  EXPECT_EQ((Texts{"x"}), payloads(": a comment\nevent: token\nid: 7\nretry: 10\ndatax: no\ndata: x\n\n", {}));
}

TEST(SsePayloads, AreTheSameWhereverTheTextIsCut) {
  const std::string text =
      ": ping\r\n\r\ndata: first\r\n\r\ndata: the second\n\n: ping\n\nevent: e\ndata:third\n\ndata: [DONE]\n\n";
  const Texts whole = payloads(text, {});
  ASSERT_EQ(4u, whole.size());
  for (std::size_t a = 0; a <= text.size(); ++a) {
    for (std::size_t b = a; b <= text.size(); ++b) ASSERT_EQ(whole, payloads(text, {a, b})) << a << " " << b;
  }
  std::vector<std::size_t> everywhere;
  for (std::size_t cut = 0; cut < text.size(); ++cut) everywhere.push_back(cut);
  EXPECT_EQ(whole, payloads(text, everywhere));
}

TEST(SsePayloads, AreCopiedOnlyIfTooLittleIsBehindThem) {
  const std::string line = "data: x";
  for (const std::size_t behind : {RoomyText::kSlack, RoomyText::kSlack - 1}) {
    const std::string text = line + std::string(behind, '\n');
    SsePayloads events;
    int found = 0;
    events.push(test::bytesOf(text), [&](RoomyText payload) {
      ++found;
      const bool isInPlace = reinterpret_cast<const char*>(payload.bytes.data()) == text.data() + line.size() - 1;
      EXPECT_EQ(behind == RoomyText::kSlack, isInPlace);
    });
    EXPECT_EQ(1, found);
  }
}

TEST(SsePayloads, KnowALineThatHasBegun) {
  SsePayloads events;
  const auto ignore = [](RoomyText) { FAIL() << "nothing is complete"; };
  events.push(test::bytesOf("data: {\"a\""), ignore);
  EXPECT_FALSE(events.atLineStart());
}

}  // namespace
}  // namespace rolltape
