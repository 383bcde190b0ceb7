#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../core/batch/batch.h"
#include "../memory/heap_block.h"
#include "processor_time.h"

namespace rolltape {
namespace {

constexpr SipKey kKey{};

/// The experts of each token of a mixture of experts with 48 layers.
const ChannelSpec kExperts{.name = "experts", .dtype = Dtype::kU8, .shape = {48, 8}, .ofSequence = true};

/// Conversations of equal turns; a varying part of each turn is output.
class Load {
 public:
  Load(int sessions, int turns, int tokens, bool hasExperts = false) : hasExperts_(hasExperts) {
    for (int i = 0; i < sessions; ++i) {
      sessions_.push_back(std::make_unique<Session>(kKey));
      for (int turn = 0; turn < turns; ++turn) addTurn(*sessions_.back(), turn, tokens / turns);
    }
  }

  std::vector<const Session*> sessions() const {
    std::vector<const Session*> all;
    for (const auto& session : sessions_) all.push_back(session.get());
    return all;
  }

 private:
  std::int32_t below(int below) { return std::uniform_int_distribution<std::int32_t>(0, below - 1)(engine_); }

  std::vector<std::int32_t> ids(int count) {
    std::vector<std::int32_t> made(static_cast<std::size_t>(count));
    for (std::int32_t& id : made) id = below(151'936);
    return made;
  }

  void addTurn(Session& session, int turn, int share) {
    const int outputs = share / 4 + below(std::max(1, share / 2));
    const std::vector<std::int32_t> input = ids(share - outputs);
    const TokenSpan piece(input);
    std::optional<std::uint32_t> base;
    if (turn > 0) base = static_cast<std::uint32_t>(turn) - 1;
    const Prompt prompt = session.prompt(std::span<const TokenSpan>(&piece, 1), base);
    const std::vector<std::int32_t> output = ids(outputs);
    Generation generation;
    generation.append(output, std::vector<float>(output.size(), -0.5f), turn / 4);
    if (hasExperts_) {
      const std::uint32_t first = base ? prompt.length() - static_cast<std::uint32_t>(input.size()) : 0;
      std::vector<std::byte> values((prompt.length() - first + output.size() - 1) * kExperts.itemBytes());
      generation.addChannel(kExperts, first, std::move(values));
    }
    RecordInput call{prompt, generation, {}, {}, turn - 1};
    call.facts = facts_;
    call.labels = {"stop", "", "chat.completions", "model", "temperature"};
    session.record(call);
  }

  bool hasExperts_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::uint32_t> facts_ = std::vector<std::uint32_t>(17, 1);
  std::mt19937 engine_{20'240'229};
};

/// 64 sessions of 16 turns that grow to 16K tokens: 8.9 M tokens in individual rows.
const Load& agentRun() {
  static const Load load(64, 16, 16'384);
  return load;
}

/// One session of 5,000 calls of two tokens: every row a walk over up to 10,000 spans.
const Load& deepChain() {
  static const Load load(1, 5000, 10'000);
  return load;
}

/// 384 bytes of experts for each of 131 K tokens, in 1.1 M tokens of individual rows.
const Load& expertRun() {
  static const Load load(16, 16, 8192, true);
  return load;
}

HeapBlock warmBlock(std::uint64_t bytes) {
  HeapBlock block(bytes);
  std::memset(block.data(), 1, bytes);
  return block;
}

/// Packs on one thread into a warm block. `of_memcpy` is the speed as a part of that of memcpy, which copies as many
/// bytes to the same block in turn with it.
void pack(benchmark::State& state, const Load& load, const PlanOptions& options) {
  const Plan plan(load.sessions(), options);
  const BatchLayout layout = layoutBatch(plan, {});
  const HeapBlock block = warmBlock(layout.totalBytes);
  const HeapBlock source = warmBlock(layout.totalBytes);
  double packing = 0;
  double copying = 0;
  for (auto _ : state) {
    const double seconds = secondsOf([&] { writeBatch(plan, layout, reinterpret_cast<std::byte*>(block.data()), 1); });
    copying += secondsOf([&] { std::memcpy(block.data(), source.data(), layout.totalBytes); });
    packing += seconds;
    state.SetIterationTime(seconds);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["of_memcpy"] = copying / packing;
  state.counters["slots/s"] = static_cast<double>(plan.shape().tokens) * rounds / packing;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(layout.totalBytes));
}

BENCHMARK_CAPTURE(pack, agent_run_padded, agentRun(), PlanOptions{})->UseManualTime();
BENCHMARK_CAPTURE(pack, agent_run_padded_left, agentRun(), PlanOptions{.padSide = PadSide::kLeft})->UseManualTime();
BENCHMARK_CAPTURE(pack, agent_run_packed, agentRun(), PlanOptions{.layout = Layout::kPacked})->UseManualTime();
BENCHMARK_CAPTURE(pack, agent_run_tree, agentRun(), PlanOptions{.layout = Layout::kTree})->UseManualTime();
BENCHMARK_CAPTURE(pack, agent_run_concat, agentRun(), PlanOptions{.style = RowStyle::kConcat})->UseManualTime();
BENCHMARK_CAPTURE(pack, expert_run_packed, expertRun(), PlanOptions{.layout = Layout::kPacked})->UseManualTime();
BENCHMARK_CAPTURE(pack, expert_run_concat, expertRun(), PlanOptions{.style = RowStyle::kConcat})->UseManualTime();
BENCHMARK_CAPTURE(pack, expert_run_tree, expertRun(), PlanOptions{.layout = Layout::kTree})->UseManualTime();
BENCHMARK_CAPTURE(pack, deep_chain_padded, deepChain(), PlanOptions{})->UseManualTime();
BENCHMARK_CAPTURE(pack, deep_chain_packed, deepChain(), PlanOptions{.layout = Layout::kPacked})->UseManualTime();

/// The walk of the tree alone, which the event loop pays.
void planBatch(benchmark::State& state, const Load& load, const PlanOptions& options) {
  const std::vector<const Session*> sessions = load.sessions();
  for (auto _ : state) benchmark::DoNotOptimize(Plan(sessions, options).byteLength());
}

const Load& manyCalls() {
  static const Load load(1, 100'000, 200'000);
  return load;
}

BENCHMARK_CAPTURE(planBatch, agent_run, agentRun(), PlanOptions{})->Unit(benchmark::kMicrosecond);
/// 160,000 rows of few tokens: what a plan costs per row and per session.
const Load& manySessions() {
  static const Load load(10'000, 16, 64);
  return load;
}

BENCHMARK_CAPTURE(planBatch, sessions_10000, manySessions(), PlanOptions{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planBatch, sessions_10000_concat, manySessions(), PlanOptions{.style = RowStyle::kConcat})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planBatch, sessions_10000_tree, manySessions(), PlanOptions{.layout = Layout::kTree})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planBatch, calls_100000_padded, manyCalls(), PlanOptions{})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(planBatch, calls_100000_tree, manyCalls(), PlanOptions{.layout = Layout::kTree})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rolltape
