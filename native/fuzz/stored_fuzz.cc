#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "../core/base/error.h"
#include "../core/session/stored_format.h"
#include "../test/stored.h"
#include "batch_check.h"
#include "require.h"
#include "session_model.h"

/// Restores arbitrary bytes: changed interactions of a real session, and bytes that never were an interaction. Refused
/// bytes must leave the session unchanged. Accepted bytes must be written again identically, and the session must pack
/// to rows that agree with its interactions.

namespace {

using namespace rolltape;
using fuzz::ModelInteraction;
using fuzz::SessionModel;

constexpr SipKey kKey{1, 2, 3};

using Bytes = std::vector<std::uint8_t>;

/// Returns interactions with everything that can be stored: a chain, a branch, a changed history, a second root.
std::vector<Bytes> storedSession() {
  Session session(kKey);
  const auto add = [&](std::optional<std::uint32_t> base, const std::vector<std::int32_t>& ids, std::int32_t parent) {
    const TokenSpan piece(ids);
    Generation generation;
    for (std::int32_t version = 0; version < parent + 2; ++version) {
      const float logprob = -static_cast<float>(version) / 8;
      generation.append(std::span(&version, 1), std::span(&logprob, 1), version);
    }
    const std::vector<std::byte> items(generation.length() + 1, std::byte{7});
    const std::vector<std::uint32_t> counts(items.size(), 1);
    if (session.length() % 3 != 0) {
      generation.addChannel({.name = "a", .dtype = Dtype::kU8}, 0, {items.begin(), items.end() - 1});
      generation.addChannel({.name = "b", .dtype = Dtype::kU8, .ofSequence = true}, 0, items);
      generation.addChannel({.name = "c", .dtype = Dtype::kU8, .offsets = "d", .ofSequence = true}, 1, items, counts);
    }
    const std::vector<MessageDigest> digests{{static_cast<std::uint8_t>(session.length())}};
    const std::vector<std::string> output{"a"};
    const std::vector<std::uint32_t> facts(session.length(), 7);
    const Prompt prompt = session.prompt(std::span(&piece, 1), base);
    RecordInput input{prompt, generation, digests, output, parent, facts};
    if (session.length() % 2 == 1) {
      input.labels = {"stop", "", "größe"};
      input.callIds = {1, session.length()};
      input.startsRow = true;
    }
    session.record(input);
  };
  add(std::nullopt, {1, 2}, -1);
  add(0, {3}, 0);
  add(1, {}, 1);
  add(0, {4, 5}, 0);
  add(std::nullopt, {1, 2, 0, 9}, 1);
  add(std::nullopt, {}, -1);
  add(5, {6}, 5);
  std::vector<Bytes> parts;
  for (std::uint32_t i = 0; i < session.length(); ++i) parts.push_back(test::stored(session, i));
  return parts;
}

/// Returns the session's interactions as a list of whole sequences.
SessionModel modelOf(const Session& session) {
  SessionModel model;
  for (const Interaction& at : session.storage()->interactions) {
    ModelInteraction& made = model.all.emplace_back();
    std::vector<TokenSpan> spans;
    appendSequence(at, spans);
    for (const TokenSpan span : spans) made.input.insert(made.input.end(), span.begin(), span.end());
    FUZZ_REQUIRE(made.input.size() == at.sequenceLength());
    made.input.resize(at.inputLength);
    made.output.assign(at.outputIds, at.outputIds + at.outputLength);
    made.logprobs.assign(at.logprobs, at.logprobs + at.outputLength);
    made.versions.resize(at.outputLength);
    expandVersions(at.versions(), 0, made.versions);
    for (const ChannelRun& run : at.channels()) {
      fuzz::Items& items = made.channels[*run.spec];
      items.resize(at.sequenceLength());
      for (std::uint32_t token = run.first; token < run.end(); ++token) {
        const auto bytes = run.bytes(token, token + 1);
        items[token].emplace(bytes.size());
        std::ranges::transform(bytes, items[token]->begin(), [](std::byte byte) { return std::uint8_t(byte); });
      }
    }
    made.parent = at.parentIndex();
    made.facts.assign(at.facts().begin(), at.facts().end());
    if (at.labels != nullptr) made.labels = *at.labels;
    made.startsRow = at.startsRow;
    const std::size_t index = model.all.size() - 1;
    FUZZ_REQUIRE(at.index == index && at.shared == model.sharedTokens(index));
    FUZZ_REQUIRE(at.tokenExact == model.tokenExact(index));
    FUZZ_REQUIRE(std::ranges::none_of(made.input, [](std::int32_t id) { return id < 0; }));
    FUZZ_REQUIRE(std::ranges::none_of(made.output, [](std::int32_t id) { return id < 0; }));
  }
  return model;
}

class Restorer {
 public:
  Restorer(const std::uint8_t* data, std::size_t size) : input_(data, size) {}

  void run() {
    const auto layout = input_.PickValueInArray({Layout::kPadded, Layout::kPacked, Layout::kTree});
    // A tree has every interaction, with any style.
    const bool concat = layout != Layout::kTree && input_.ConsumeBool();
    for (int steps = 0; steps < 30 && input_.remaining_bytes() > 0; ++steps) restore(anyPart());
    pack(layout, concat ? RowStyle::kConcat : RowStyle::kIndividual);
  }

 private:
  Bytes anyPart() {
    static const std::vector<Bytes> real = storedSession();
    const std::size_t next = session_.length();
    if (input_.ConsumeBool()) {
      Bytes part = input_.ConsumeBool() && next < real.size() ? real[next] : real[anyOf(real.size())];
      if (input_.ConsumeBool()) change(part);
      return part;
    }
    Bytes part = input_.ConsumeBytes<std::uint8_t>(anyOf(300));
    if (input_.ConsumeBool()) part.insert(part.begin(), real[0].begin(), real[0].begin() + 6);
    complete(part);
    return part;
  }

  std::size_t anyOf(std::size_t count) { return input_.ConsumeIntegralInRange<std::size_t>(0, count - 1); }

  void change(Bytes& part) {
    for (int edits = input_.ConsumeIntegralInRange(0, 4); edits > 0; --edits) {
      const std::size_t at = anyOf(part.size());
      if (input_.ConsumeBool()) {
        part[at] = input_.ConsumeIntegral<std::uint8_t>();
      } else {
        part[at] ^= static_cast<std::uint8_t>(1 << anyOf(8));
      }
    }
    if (input_.ConsumeBool()) shareLess(part);
    if (input_.ConsumeBool()) part.resize(anyOf(part.size() + 20));
    complete(part);
  }

  /// Moves the last shared token to the input ids, unchanged or changed. Recording never produces the unchanged form.
  void shareLess(Bytes& part) {
    StoredHeader header;
    if (part.size() < sizeof header) return;
    std::memcpy(&header, part.data(), sizeof header);
    const std::size_t first = sizeof header + (header.has(kHasCallIds) ? sizeof(CallIds) : 0);
    if (header.shared == 0 || first > part.size()) return;
    --header.shared;
    std::memcpy(part.data(), &header, sizeof header);
    const Bytes token{static_cast<std::uint8_t>(anyOf(10)), 0, 0, 0};
    part.insert(part.begin() + static_cast<std::ptrdiff_t>(first), token.begin(), token.end());
  }

  /// Sometimes corrects the index, the length and the checksum after a change, so that other checks are reached.
  void complete(Bytes& part) {
    if (!input_.ConsumeBool() || part.size() < sizeof(StoredHeader) + sizeof(StoredChecksum)) return;
    const auto put = [&](std::size_t at, std::uint32_t value) { std::memcpy(part.data() + at, &value, sizeof value); };
    put(offsetof(StoredHeader, byteLength), static_cast<std::uint32_t>(part.size()));
    if (input_.ConsumeBool()) put(offsetof(StoredHeader, index), static_cast<std::uint32_t>(session_.length()));
    test::seal(part);
  }

  void restore(const Bytes& part) {
    // A copy at any alignment that ends where its memory ends, so that a sanitizer sees a read beyond it.
    const std::size_t shift = anyOf(4);
    const auto place = std::make_unique<std::uint8_t[]>(shift + part.size());
    std::ranges::copy(part, place.get() + shift);
    const std::size_t before = session_.length();
    const std::size_t bytes = session_.byteLength();
    try {
      session_.restore({place.get() + shift, part.size()});
    } catch (const Error& error) {
      FUZZ_REQUIRE(error.code() == ErrorCode::kStoredInvalid);
      FUZZ_REQUIRE(session_.length() == before && session_.byteLength() == bytes);
      return;
    }
    FUZZ_REQUIRE(session_.length() == before + 1);
    FUZZ_REQUIRE(test::stored(session_, static_cast<std::uint32_t>(before)) == part);
  }

  void pack(Layout layout, RowStyle style) {
    const SessionModel model = modelOf(session_);
    const PlannedSession planned{&session_};
    PlanOptions options{.layout = layout, .style = style, .onMismatch = OnMismatch::kSplit};
    options.columns = test::everyColumn();
    options.turns = layout != Layout::kTree;
    std::set<std::string> names;
    bool isDistinct = true;
    for (const ChannelSpec& spec : model.channels()) {
      isDistinct &= names.insert(spec.name).second;
      isDistinct &= names.insert(spec.isRagged() ? spec.offsets : spec.maskName()).second;
    }
    std::optional<Plan> made;
    try {
      made.emplace(std::span<const PlannedSession>(&planned, 1), options);
    } catch (const Error& error) {
      FUZZ_REQUIRE(error.code() == ErrorCode::kInvalidArg && !isDistinct);
      return;
    }
    FUZZ_REQUIRE(isDistinct);
    const Plan& plan = *made;
    fuzz::requireBatch(plan, model.rows(options), model.outline());
  }

  FuzzedDataProvider input_;
  Session session_{kKey};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Restorer(data, size).run();
  return 0;
}
