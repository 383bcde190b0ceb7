#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../core/base/base64.h"
#include "../core/reply/reply_stream.h"
#include "../core/reply/sglang/reply.h"
#include "../core/reply/sglang/stream.h"
#include "../core/reply/vllm/reply.h"
#include "../core/reply/vllm/stream.h"
#include "../core/session/session.h"
#include "processor_time.h"

namespace rolltape {
namespace {

/// The shape of Qwen3-30B-A3B, for a sequence of 32K tokens.
constexpr RoutedExperts kAsked{.layers = 48, .topK = 8, .experts = 128, .promptLength = 32'256};
constexpr int kOutputs = 512;
constexpr std::size_t kValues = (32'256 + kOutputs - 1) * 48 * 8;
constexpr std::size_t kPieceBytes = 65'536;

std::span<const std::uint8_t> bytesOf(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <typename T>
std::string expertBytes() {
  std::mt19937 random(7);
  std::string bytes(kValues * sizeof(T), '\0');
  for (std::size_t i = 0; i < kValues; ++i) {
    const auto value = static_cast<T>(random() % kAsked.experts);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return bytes;
}

std::string base64(const std::string& bytes) {
  std::string text(base64Length(bytes.size()), '?');
  writeBase64(bytesOf(bytes), text.data());
  return text;
}

std::string npyText() {
  const std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(kValues / 48 / 8) + ", 48, 8), }   \n";
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  file += static_cast<char>(header.size());
  file += '\0';
  return base64(file + header + expertBytes<std::uint8_t>());
}

/// A reply and the text of its experts.
struct Reply {
  std::string body;
  std::string experts;
};

Reply vllmReply() {
  std::string ids;
  std::string content;
  for (int i = 0; i < kOutputs; ++i) {
    const std::string id = std::to_string(i * 211);
    ids += (i == 0 ? "" : ",") + id;
    content += (i == 0 ? "" : ",") + std::string("{\"token\":\"token_id:") + id + "\",\"logprob\":-0.5234375}";
  }
  const std::string experts = npyText();
  return {"{\"choices\":[{\"index\":0,\"token_ids\":[" + ids + "],\"logprobs\":{\"content\":[" + content +
              "]},\"finish_reason\":\"stop\",\"routed_experts\":\"" + experts + "\"}]}",
          experts};
}

std::string sglangFrame(int count, const std::string& more) {
  std::string ids;
  std::string logprobs;
  for (int i = 0; i < count; ++i) {
    const std::string id = std::to_string(i * 211);
    ids += (i == 0 ? "" : ",") + id;
    logprobs += (i == 0 ? "" : ",") + std::string("[-0.5234375,") + id + ",null]";
  }
  return "{\"output_ids\":[" + ids + "],\"meta_info\":{\"id\":\"a\",\"completion_tokens\":" + std::to_string(count) +
         ",\"output_token_logprobs\":[" + logprobs + "]" + more + "}}";
}

Reply sglangReply() {
  const std::string experts = base64(expertBytes<std::uint32_t>());
  return {sglangFrame(kOutputs, ",\"finish_reason\":{\"type\":\"stop\"},\"routed_experts\":\"" + experts + "\""),
          experts};
}

/// `of_scan` is the time in units of the text's own scan, in turn with it: finding the end of each of its strings, and
/// decoding the experts to memory that is in use.
template <typename Read>
void compare(benchmark::State& state, const Reply& reply, Read read) {
  std::vector<std::byte> decoded(reply.experts.size());
  double reading = 0;
  double scanning = 0;
  for (auto _ : state) {
    scanning += secondsOf([&] {
      JsonCursor json(bytesOf(reply.body));
      json.skip();
      if (!readBase64(reply.experts, decoded.data())) state.SkipWithError("not base64");
    });
    const double seconds = secondsOf(read);
    reading += seconds;
    state.SetIterationTime(seconds);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["scan_ms"] = scanning / rounds * 1e3;
  state.counters["of_scan"] = reading / scanning;
}

void readVllmExperts(benchmark::State& state) {
  static const Reply reply = vllmReply();
  compare(state, reply, [&] { benchmark::DoNotOptimize(readVllmReply(bytesOf(reply.body), 0, 0, {kAsked})); });
}
BENCHMARK(readVllmExperts)->UseManualTime()->Unit(benchmark::kMillisecond);

void readSglangExperts(benchmark::State& state) {
  static const Reply reply = sglangReply();
  compare(state, reply, [&] { benchmark::DoNotOptimize(readSglangReply(bytesOf(reply.body), 0, {kAsked})); });
}
BENCHMARK(readSglangExperts)->UseManualTime()->Unit(benchmark::kMillisecond);

void pushPieces(ReplyStream& stream, Generation& into, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += kPieceBytes) {
    stream.push(bytesOf(text).subspan(at, std::min(kPieceBytes, text.size() - at)), into);
  }
}

void streamVllmExperts(benchmark::State& state) {
  static const Reply reply = vllmReply();
  static const std::string text = "data: " + reply.body + "\n\ndata: [DONE]\n\n";
  compare(state, reply, [&] {
    Generation into;
    ReplyStream stream(std::make_unique<VllmStream>(into, 0, 0, AskedValues{kAsked}));
    pushPieces(stream, into, text);
    benchmark::DoNotOptimize(stream.end(into));
  });
}
BENCHMARK(streamVllmExperts)->UseManualTime()->Unit(benchmark::kMillisecond);

/// The last frame of a cumulative stream.
void streamSglangExperts(benchmark::State& state) {
  static const Reply reply = sglangReply();
  static const std::string text =
      "data: " + sglangFrame(kOutputs - 1, "") + "\n\ndata: " + reply.body + "\n\ndata: [DONE]\n\n";
  compare(state, reply, [&] {
    Generation into;
    ReplyStream stream(std::make_unique<SglangStream>(into, 0, AskedValues{kAsked}));
    pushPieces(stream, into, text);
    benchmark::DoNotOptimize(stream.end(into));
  });
}
BENCHMARK(streamSglangExperts)->UseManualTime()->Unit(benchmark::kMillisecond);

void readAndRecordExperts(benchmark::State& state) {
  static const Reply reply = vllmReply();
  compare(state, reply, [&] {
    EngineReply read = readVllmReply(bytesOf(reply.body), 0, 0, {kAsked});
    const std::vector<std::int32_t> ids(kAsked.promptLength, 7);
    const TokenSpan piece(ids);
    Session session(SipKey{});
    const Prompt prompt = session.prompt(std::span<const TokenSpan>(&piece, 1), std::nullopt);
    RecordInput input{prompt, read.tokens, {}, {}, -1};
    input.consumed = &read.tokens;
    session.record(input);
    benchmark::DoNotOptimize(session.byteLength());
  });
}
BENCHMARK(readAndRecordExperts)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rolltape
