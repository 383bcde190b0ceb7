#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../core/base/error.h"
#include "../core/reply/reply_stream.h"
#include "../core/reply/sglang/reply.h"
#include "../core/reply/sglang/stream.h"
#include "../core/reply/vllm/reply.h"
#include "../core/reply/vllm/stream.h"
#include "require.h"

/// Any bytes as a streamed reply of either engine: however they are cut, the same tokens come of them or the same
/// error, also with routed experts. And any bytes as a whole reply of vLLM: what is read has equal numbers of
/// everything, the rest is refused.

namespace {

using namespace rolltape;

constexpr std::size_t kTopWidth = 3;

struct Outcome {
  Generation tokens;
  std::optional<ErrorCode> error;
  std::optional<std::string> finish;
};

struct StreamKind {
  bool isSglang;
  AskedValues asked;
};

/// Experts of which few bytes make rows.
constexpr RoutedExperts kExperts{.layers = 1, .topK = 2, .experts = 200, .promptLength = 2, .start = 1};

std::unique_ptr<FrameReader> readerOf(const StreamKind& kind, const Generation& into) {
  if (kind.isSglang) return std::make_unique<SglangStream>(into, 7, kind.asked);
  return std::make_unique<VllmStream>(into, 7, kTopWidth, kind.asked);
}

bool isReplyError(ErrorCode code) {
  return code == ErrorCode::kReplyMalformed || code == ErrorCode::kReplyMismatch ||
         code == ErrorCode::kReplyNotFinite || code == ErrorCode::kReplyImpossible;
}

Outcome readInPieces(std::span<const std::uint8_t> bytes, const StreamKind& kind, std::size_t pieceSize) {
  Outcome outcome;
  ReplyStream stream(readerOf(kind, outcome.tokens));
  try {
    for (std::size_t at = 0; at < bytes.size(); at += pieceSize) {
      stream.push(bytes.subspan(at, std::min(pieceSize, bytes.size() - at)), outcome.tokens);
    }
    const EngineReply reply = stream.end(outcome.tokens);
    if (reply.finish) outcome.finish = reply.finish->type;
  } catch (const Error& error) {
    FUZZ_REQUIRE(isReplyError(error.code()));
    outcome.error = error.code();
  }
  return outcome;
}

void requireWhole(const Generation& tokens) {
  FUZZ_REQUIRE(tokens.ids().size() == tokens.logprobs().size());
  FUZZ_REQUIRE(tokens.top().ids().size() <= tokens.top().width() * tokens.length());
  FUZZ_REQUIRE(tokens.length() == 0 || (!tokens.versionRuns().empty() && tokens.versionRuns().front().start == 0));
  for (const float logprob : tokens.logprobs()) FUZZ_REQUIRE(logprob - logprob == 0);
}

bool sameItems(const ChannelBuffer& a, const ChannelBuffer& b) {
  return a.spec == b.spec && a.first == b.first && a.values == b.values;
}

void requireSame(const Outcome& a, const Outcome& b) {
  FUZZ_REQUIRE(a.error == b.error && a.finish == b.finish);
  FUZZ_REQUIRE(std::ranges::equal(a.tokens.ids(), b.tokens.ids()));
  FUZZ_REQUIRE(std::ranges::equal(a.tokens.logprobs(), b.tokens.logprobs()));
  FUZZ_REQUIRE(std::ranges::equal(a.tokens.versionRuns(), b.tokens.versionRuns()));
  FUZZ_REQUIRE(std::ranges::equal(a.tokens.top().ids(), b.tokens.top().ids()));
  FUZZ_REQUIRE(std::ranges::equal(a.tokens.channels(), b.tokens.channels(), sameItems));
}

/// A whole reply of SGLang, sent as the only frame of a stream, has the same tokens.
void requireSameAsOneFrame(std::span<const std::uint8_t> bytes) {
  if (std::ranges::find(bytes, static_cast<std::uint8_t>('\n')) != bytes.end()) return;
  Outcome whole;
  try {
    EngineReply reply = readSglangReply(bytes, 7);
    if (reply.finish) whole.finish = reply.finish->type;
    whole.tokens = std::move(reply.tokens);
  } catch (const Error& error) {
    FUZZ_REQUIRE(isReplyError(error.code()));
    return;
  }
  std::string frame = "data: " + std::string(bytes.begin(), bytes.end()) + "\n";
  const Outcome streamed =
      readInPieces({reinterpret_cast<const std::uint8_t*>(frame.data()), frame.size()}, {true, {}}, frame.size());
  if (!streamed.error) requireSame(whole, streamed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const StreamKind kind{(data[0] & 1) != 0, (data[0] & 2) == 0 ? AskedValues{} : AskedValues{kExperts}};
  const std::size_t pieceSize = 1 + data[1] % 64;
  const std::span<const std::uint8_t> bytes(data + 2, size - 2);
  const Outcome whole = readInPieces(bytes, kind, bytes.size() + 1);
  requireWhole(whole.tokens);
  requireSame(whole, readInPieces(bytes, kind, pieceSize));
  requireSame(whole, readInPieces(bytes, kind, 1));
  requireSameAsOneFrame(bytes);
  try {
    requireWhole(readVllmReply(bytes, 7, kTopWidth).tokens);
  } catch (const Error& error) {
    FUZZ_REQUIRE(isReplyError(error.code()));
  }
  return 0;
}
