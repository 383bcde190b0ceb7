#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../core/base/base64.h"
#include "../core/reply/request_body.h"
#include "../core/reply/sglang/reply.h"

namespace rolltape {
namespace {

constexpr int kTokens = 32768;

/// How the reply's JSON is written: without spaces, as orjson does, or with them, as Python's json does.
struct Spelling {
  std::string comma;
  std::string colon;
};
const Spelling kCompact{",", ":"};
const Spelling kSpaced{", ", ": "};

/// Replies with the log probabilities of sampled tokens: float32 values written as float64, most near zero.
class ReplyText {
 public:
  explicit ReplyText(Spelling spelling) : spelling_(std::move(spelling)) {}

  std::string make(int tokens, int alternatives) {
    std::string ids;
    std::string logprobs;
    std::string top;
    std::string text;
    for (int i = 0; i < tokens; ++i) {
      const std::string separator = i == 0 ? "" : spelling_.comma;
      const std::int32_t id = randomId();
      ids += separator + std::to_string(id);
      logprobs += separator + entry(id);
      top += separator + "[";
      for (int k = 0; k < alternatives; ++k) top += (k == 0 ? "" : spelling_.comma) + entry(randomId());
      top += "]";
      text += "word ";
    }
    std::string body = "{" + key("text") + "\"" + text + "\"" + spelling_.comma + key("output_ids") + "[" + ids + "]" +
                       spelling_.comma + key("meta_info") + "{" + key("id") + "\"0f3c\"" + spelling_.comma +
                       key("completion_tokens") + std::to_string(tokens) + spelling_.comma +
                       key("output_token_logprobs") + "[" + logprobs + "]";
    if (alternatives > 0) body += spelling_.comma + key("output_top_logprobs") + "[" + top + "]";
    return body + "}}";
  }

 private:
  std::string key(const char* name) const { return "\"" + std::string(name) + "\"" + spelling_.colon; }
  std::int32_t randomId() { return static_cast<std::int32_t>(random_() % 151'936); }
  std::string entry(std::int32_t id) {
    const double chance = std::uniform_real_distribution<double>(1e-3, 1)(random_);
    const auto logprob = static_cast<float>(std::log(chance) * chance);
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof digits, static_cast<double>(logprob));
    return "[" + std::string(digits, written.ptr) + spelling_.comma + std::to_string(id) + spelling_.comma + "null]";
  }

  Spelling spelling_;
  std::mt19937_64 random_{7};
};

void scanReply(benchmark::State& state, const Spelling& spelling, int alternatives) {
  const std::string body = ReplyText(spelling).make(kTokens, alternatives);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  for (auto _ : state) benchmark::DoNotOptimize(readSglangReply(bytes, 0));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
  state.counters["MB"] = static_cast<double>(body.size()) / 1e6;
}
BENCHMARK_CAPTURE(scanReply, compact, kCompact, 0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(scanReply, spaced, kSpaced, 0)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(scanReply, compact_top2, kCompact, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(scanReply, spaced_top2, kSpaced, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(scanReply, compact_top20, kCompact, 20)->Unit(benchmark::kMicrosecond);

/// The same alternatives as base64 of arrays.
void scanFlatReply(benchmark::State& state, int alternatives) {
  const auto places = static_cast<std::size_t>(kTokens * alternatives);
  const auto base64 = [](auto values) {
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * 4);
    std::string text(base64Length(bytes.size()), '?');
    writeBase64(bytes, text.data());
    return text;
  };
  std::string body = ReplyText(kCompact).make(kTokens, 0);
  body.resize(body.size() - 2);
  body += ",\"output_top_logprobs_val_flat_b64\":\"" + base64(std::vector<float>(places, -1.5f)) +
          "\",\"output_top_logprobs_idx_flat_b64\":\"" + base64(std::vector<std::int32_t>(places, 151'935)) +
          "\",\"output_top_logprobs_shape\":[" + std::to_string(kTokens) + "," + std::to_string(alternatives) +
          "],\"output_top_logprobs_null_prefix\":0}}";
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  for (auto _ : state) benchmark::DoNotOptimize(readSglangReply(bytes, 0));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * body.size()));
  state.counters["MB"] = static_cast<double>(body.size()) / 1e6;
}
BENCHMARK_CAPTURE(scanFlatReply, top20, 20)->Unit(benchmark::kMicrosecond);

void writeRequest(benchmark::State& state) {
  std::mt19937 random(7);
  std::vector<std::int32_t> ids(120'000);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random() % 151'936);
  const TokenSpan piece(ids);
  const Prompt prompt(std::span<const TokenSpan>(&piece, 1));
  std::string text;
  for (auto _ : state) {
    const RequestBody body("{\"input_ids\":", prompt, nullptr, "}");
    text.resize(body.byteLength());
    body.write(text.data());
    benchmark::DoNotOptimize(text.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(writeRequest)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rolltape
