#include <benchmark/benchmark.h>

#include <vector>

#include "../core/base/crc32c.h"
#include "../test/stored.h"

namespace rolltape {
namespace {

constexpr SipKey kKey{1, 2, 3};
constexpr std::uint32_t kTurns = 100;
constexpr std::size_t kNewInput = 300;
constexpr std::size_t kOutput = 200;
constexpr auto kTokens = static_cast<double>(kTurns * (kNewInput + kOutput));

/// A chain of turns, each with what the service records of a call.
const Session& chain() {
  static const Session session = [] {
    Session made(kKey);
    const std::vector<std::int32_t> ids(kNewInput, 1234);
    const TokenSpan piece(ids);
    const std::vector<std::int32_t> output(kOutput, 4321);
    const std::vector<float> logprobs(kOutput, -0.25f);
    const std::vector<std::uint32_t> facts(18, 1);
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      Generation generation;
      generation.append(output, logprobs, 3);
      const std::vector<MessageDigest> digests{{static_cast<std::uint8_t>(turn)}};
      const auto parent = static_cast<std::int32_t>(turn) - 1;
      const Prompt prompt =
          made.prompt(std::span(&piece, 1), turn == 0 ? std::nullopt : std::optional<std::uint32_t>(turn - 1));
      RecordInput input{prompt, generation, digests, {}, parent, facts};
      input.labels = {"stop", "", "chat.completions", "model", "temperature"};
      made.record(input);
    }
    return made;
  }();
  return session;
}

void countTokens(benchmark::State& state, std::size_t bytes) {
  state.counters["tokens/s"] = benchmark::Counter(kTokens, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/token"] = static_cast<double>(bytes) / kTokens;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void serialize(benchmark::State& state) {
  std::vector<std::uint8_t> bytes;
  std::size_t total = 0;
  for (auto _ : state) {
    total = 0;
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      const InteractionWriter writer = chain().serialize(turn);
      bytes.resize(writer.byteLength());
      writer.write(bytes.data());
      total += bytes.size();
    }
    benchmark::DoNotOptimize(bytes.data());
  }
  countTokens(state, total);
}

void restore(benchmark::State& state) {
  std::vector<std::vector<std::uint8_t>> parts;
  std::size_t total = 0;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    total += parts.emplace_back(test::stored(chain(), turn)).size();
  }
  for (auto _ : state) {
    Session session(kKey);
    for (const auto& part : parts) session.restore(part);
    benchmark::DoNotOptimize(session.byteLength());
  }
  countTokens(state, total);
}

void checksum(benchmark::State& state, std::uint32_t (*crc)(std::span<const std::uint8_t>, std::uint32_t)) {
  const std::vector<std::uint8_t> bytes(1 << 20, 7);
  for (auto _ : state) benchmark::DoNotOptimize(crc(bytes, 0));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

BENCHMARK(serialize)->Unit(benchmark::kMicrosecond);
BENCHMARK(restore)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(checksum, by_instruction_if_any, crc32c)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(checksum, by_table, crc32cByTable)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rolltape
