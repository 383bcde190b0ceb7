#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "../core/base/error.h"
#include "../core/batch/batch.h"
#include "../core/session/message_digest.h"
#include "../test/stored.h"
#include "batch_check.h"
#include "require.h"
#include "session_model.h"

/// Any sequence of records, rewards and exports of one session, held against a list of whole sequences.

namespace {

using namespace rolltape;
using fuzz::ModelInteraction;
using fuzz::ModelRow;

constexpr SipKey kKey{1, 2, 3};

std::vector<MessageDigest> digestsOf(const std::vector<std::string>& messages) {
  std::vector<MessageDigest> digests;
  MessageDigest at{};
  for (const std::string& text : messages) {
    at = chainDigest(kKey, at, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    digests.push_back(at);
  }
  return digests;
}

bool refuses(auto call) {
  try {
    call();
    return false;
  } catch (const Error& error) {
    FUZZ_REQUIRE(error.code() == ErrorCode::kInvalidArg);
    return true;
  }
}

class Episode {
 public:
  Episode(const std::uint8_t* data, std::size_t size) : input_(data, size) {}

  void run() {
    for (int steps = 0; steps < 80 && input_.remaining_bytes() > 0; ++steps) step();
    for (const Export& late : exports_) fuzz::requireBatch(late.plan, late.rows, late.outline);
  }

 private:
  /// A plan and what it must hold, however the session goes on.
  struct Export {
    Plan plan;
    std::vector<ModelRow> rows;
    test::Outline outline;
  };

  void step() {
    switch (input_.ConsumeIntegralInRange(0, 8)) {
      case 0:
        return reward();
      case 1:
        return plan();
      case 2:
        return sessionReward();
      case 3:
        // The session is stored and goes on as a copy.
        session_ = test::restored(session_, kKey);
        return;
      default:
        return record();
    }
  }

  std::uint32_t anyIndex() {
    return input_.ConsumeIntegralInRange<std::uint32_t>(0, static_cast<std::uint32_t>(model_.all.size()));
  }
  bool isRecorded(std::size_t index) const { return index < model_.all.size(); }

  std::vector<std::int32_t> anyIds(int most) {
    // Few ids, so that sequences agree by chance.
    std::vector<std::int32_t> ids(input_.ConsumeIntegralInRange<std::size_t>(0, static_cast<std::size_t>(most)));
    for (std::int32_t& id : ids) id = input_.ConsumeIntegralInRange(0, 2);
    return ids;
  }

  /// Messages that continue an earlier conversation or not.
  std::vector<std::string> anyMessages() {
    std::vector<std::string> messages;
    const std::uint32_t earlier = anyIndex();
    if (isRecorded(earlier)) {
      messages = input_.ConsumeBool() ? model_.all[earlier].conversation() : model_.all[earlier].messages;
    }
    for (int more = input_.ConsumeIntegralInRange(0, 2); more > 0; --more) {
      messages.emplace_back(1, static_cast<char>('a' + input_.ConsumeIntegralInRange(0, 2)));
    }
    return messages;
  }

  Prompt anyPrompt(ModelInteraction& made) {
    const std::uint32_t base = anyIndex();
    const std::vector<std::int32_t> tail = anyIds(6);
    const TokenSpan piece(tail);
    const std::span<const TokenSpan> pieces(&piece, 1);
    if (isRecorded(base) && input_.ConsumeBool()) {
      made.input = model_.all[base].sequence();
      made.input.insert(made.input.end(), tail.begin(), tail.end());
      return session_.prompt(pieces, base);
    }
    // A prompt that only begins like an earlier one.
    if (isRecorded(base)) made.input = model_.all[base].sequence();
    made.input.resize(input_.ConsumeIntegralInRange<std::size_t>(0, made.input.size()));
    made.input.insert(made.input.end(), tail.begin(), tail.end());
    const TokenSpan whole(made.input);
    const std::span<const TokenSpan> wholePieces(&whole, 1);
    const std::uint32_t likelyParent = anyIndex();
    if (isRecorded(likelyParent) && input_.ConsumeBool()) return session_.promptSharing(wholePieces, likelyParent);
    return session_.prompt(wholePieces, std::nullopt);
  }

  Generation anyGeneration(ModelInteraction& made) {
    Generation generation;
    for (int part = input_.ConsumeIntegralInRange(0, 3); part > 0; --part) {
      const std::vector<std::int32_t> ids = anyIds(4);
      const std::int32_t version = input_.ConsumeIntegralInRange(0, 3);
      std::vector<float> logprobs;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        logprobs.push_back(-static_cast<float>(made.output.size() + i) / 8);
      }
      generation.append(ids, logprobs, version);
      made.output.insert(made.output.end(), ids.begin(), ids.end());
      made.logprobs.insert(made.logprobs.end(), logprobs.begin(), logprobs.end());
      made.versions.insert(made.versions.end(), ids.size(), version);
    }
    return generation;
  }

  /// Items of a stretch of the tokens, to the generation and to the model.
  void giveItems(const ChannelSpec& spec, ModelInteraction& made, Generation& generation) {
    const std::size_t first = spec.ofSequence ? 0 : made.input.size();
    // Engines may give items of tokens that were cut off since.
    const std::size_t most = made.input.size() + made.output.size() + (spec.ofSequence ? 2 : 0) - first;
    const auto from = input_.ConsumeIntegralInRange<std::uint32_t>(0, static_cast<std::uint32_t>(most));
    const auto to = input_.ConsumeIntegralInRange<std::uint32_t>(from, static_cast<std::uint32_t>(most));
    std::vector<std::uint8_t> values;
    std::vector<std::uint32_t> counts;
    fuzz::Items& items = made.channels[spec];
    items.resize(made.input.size() + made.output.size());
    for (std::size_t at = from; at < to; ++at) {
      const std::uint32_t count = spec.isRagged() ? input_.ConsumeIntegralInRange<std::uint32_t>(0, 2) : 1;
      std::vector<std::uint8_t> item(count * spec.itemBytes());
      for (std::uint8_t& byte : item) byte = static_cast<std::uint8_t>(++lastItem_);
      values.insert(values.end(), item.begin(), item.end());
      if (spec.isRagged()) counts.push_back(count);
      if (first + at < items.size()) items[first + at] = item;
    }
    const auto bytes = std::as_bytes(std::span(values));
    generation.addChannel(spec, from, {bytes.begin(), bytes.end()}, counts);
  }

  void giveChannels(ModelInteraction& made, Generation& generation) {
    static const std::vector<ChannelSpec> specs{
        {.name = "pair", .dtype = Dtype::kU8, .shape = {2}},
        {.name = "path", .dtype = Dtype::kU16, .ofSequence = true},
        {.name = "bag", .dtype = Dtype::kU8, .offsets = "bag_offsets"},
        {.name = "trail", .dtype = Dtype::kI32, .offsets = "trail_offsets", .ofSequence = true},
    };
    for (const ChannelSpec& spec : specs) {
      if (input_.ConsumeBool()) giveItems(spec, made, generation);
    }
  }

  /// For each message the ids of all tool calls up to it; few, so that they agree by chance.
  std::vector<std::uint64_t> anyCallIds(std::size_t messages) {
    std::vector<std::uint64_t> ids(messages);
    if (!input_.ConsumeBool()) return ids;
    for (std::uint64_t& id : ids) id = input_.ConsumeIntegralInRange<std::uint64_t>(0, 2);
    return ids;
  }

  void describe(ModelInteraction& made) {
    made.facts.resize(input_.ConsumeIntegralInRange<std::size_t>(0, 4));
    for (std::uint32_t& fact : made.facts) fact = input_.ConsumeIntegral<std::uint32_t>();
    made.labels.resize(input_.ConsumeIntegralInRange<std::size_t>(0, 3));
    for (std::string& label : made.labels) {
      label.assign(input_.ConsumeIntegralInRange<std::size_t>(0, 2), static_cast<char>('a' + anyIndex() % 5));
    }
    made.startsRow = input_.ConsumeBool();
  }

  void record() {
    ModelInteraction made;
    made.messages = anyMessages();
    made.answer.assign(input_.ConsumeIntegralInRange<std::size_t>(0, 1), "z");
    const std::vector<std::uint64_t> callIds = anyCallIds(made.messages.size());
    made.callIds.input = callIds.empty() ? 0 : callIds.back();
    made.callIds.conversation = input_.ConsumeIntegralInRange<std::uint64_t>(0, 2);
    if (input_.ConsumeBool()) describe(made);
    const Prompt prompt = anyPrompt(made);
    Generation generation = anyGeneration(made);
    giveChannels(made, generation);
    std::optional<std::int32_t> parent;
    if (input_.ConsumeBool()) parent = static_cast<std::int32_t>(anyIndex()) - 1;
    const std::vector<MessageDigest> digests = digestsOf(made.messages);
    const auto match = session_.findParent(digests, callIds);
    FUZZ_REQUIRE((match ? static_cast<std::int32_t>(match->index) : -1) == model_.findParent(made.messages, callIds));
    // A record that looks for its parent itself knows no call ids.
    made.parent = parent.value_or(model_.findParent(made.messages, std::vector<std::uint64_t>(callIds.size())));
    RecordInput input{prompt, generation, digests, made.answer, parent, made.facts, made.labels, made.startsRow};
    input.callIds = made.callIds;
    const std::uint32_t shared =
        made.parent < 0 ? 0 : session_.sharedLength(prompt, static_cast<std::uint32_t>(made.parent));
    const Interaction& recorded = session_.record(input);
    model_.all.push_back(std::move(made));
    const std::size_t index = model_.all.size() - 1;
    FUZZ_REQUIRE(recorded.index == index && recorded.parentIndex() == model_.all[index].parent);
    FUZZ_REQUIRE(recorded.shared == model_.sharedTokens(index) && recorded.shared == shared);
    FUZZ_REQUIRE(recorded.tokenExact == model_.tokenExact(index));
  }

  void reward() {
    const std::uint32_t index = anyIndex();
    const double reward =
        input_.ConsumeBool() ? input_.ConsumeIntegralInRange(-4, 4) / 4.0 : input_.ConsumeFloatingPoint<double>();
    const bool refused = refuses([&] { session_.setReward(index, reward); });
    FUZZ_REQUIRE(refused == (!isRecorded(index) || !(std::abs(reward) <= std::numeric_limits<float>::max())));
    if (!refused) model_.all[index].reward = reward;
  }

  void sessionReward() {
    const double reward = input_.ConsumeIntegralInRange(-4, 4) / 4.0;
    session_.setSessionReward(reward);
    model_.sessionReward = reward;
  }

  /// Interactions without a child that is kept.
  PlannedSession leaveOut() {
    PlannedSession planned{&session_};
    if (!input_.ConsumeBool()) return planned;
    test::Outline outline = model_.outline();
    for (std::size_t i = outline.all.size(); i-- > 0;) {
      if (!outline.children(i, true).empty() || !input_.ConsumeBool()) continue;
      model_.all[i].leftOut = outline.all[i].leftOut = true;
      planned.leftOut.push_back(static_cast<std::uint32_t>(i));
    }
    return planned;
  }

  PlanOptions anyOptions() {
    PlanOptions options;
    options.layout = input_.PickValueInArray({Layout::kPadded, Layout::kPacked, Layout::kTree});
    options.style = input_.PickValueInArray({RowStyle::kIndividual, RowStyle::kConcat});
    options.discount = input_.PickValueInArray({0.0, 0.5, 0.9, 1.0});
    options.onMismatch = input_.PickValueInArray({OnMismatch::kError, OnMismatch::kSplit});
    options.padTokenId = input_.ConsumeIntegralInRange(0, 9);
    options.padSide = input_.PickValueInArray({PadSide::kLeft, PadSide::kRight});
    options.padToMultipleOf = input_.ConsumeIntegralInRange<std::uint32_t>(1, 9);
    options.overflow = input_.PickValueInArray({Overflow::kError, Overflow::kTruncate, Overflow::kDrop});
    if (options.layout != Layout::kTree) options.maxLength = input_.ConsumeIntegralInRange<std::uint32_t>(0, 20);
    // A tree has every interaction whatever the style.
    if (options.layout == Layout::kTree) options.style = RowStyle::kIndividual;
    options.concatReward = input_.PickValueInArray({ConcatReward::kLeaf, ConcatReward::kReturn});
    options.turns = options.layout != Layout::kTree && input_.ConsumeBool();
    options.labelLimit = input_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    if (input_.ConsumeBool()) options.columns = test::everyColumn();
    return options;
  }

  /// Cuts rows as the options say. False where one is too long and that is an error.
  static bool limit(std::vector<ModelRow>& rows, const PlanOptions& options) {
    const std::size_t most = options.maxLength == 0 ? SIZE_MAX : options.maxLength;
    const auto tooLong = [&](const ModelRow& row) { return row.ids.size() > most; };
    if (options.overflow == Overflow::kError) return std::ranges::none_of(rows, tooLong);
    if (options.overflow == Overflow::kDrop) std::erase_if(rows, tooLong);
    for (ModelRow& row : rows) {
      const std::size_t length = std::min(most, row.ids.size());
      row.ids.resize(length);
      row.lossMask.resize(length);
      row.logprobs.resize(length);
      row.versions.resize(length);
      for (auto& [spec, items] : row.channels) items.resize(length);
    }
    return true;
  }

  void plan() {
    const PlanOptions options = anyOptions();
    const PlannedSession planned = leaveOut();
    std::vector<ModelRow> rows = model_.rows(options);
    test::Outline outline = model_.outline();
    for (ModelInteraction& at : model_.all) at.leftOut = false;
    const bool fit = std::ranges::all_of(rows, [](const ModelRow& row) { return std::isfinite(row.reward); });
    std::optional<Plan> plan;
    const bool refused = refuses([&] { plan.emplace(std::span<const PlannedSession>(&planned, 1), options); });
    // A reward that is out of range by less than half a step is finite as a float32 here, and refused there.
    FUZZ_REQUIRE(!refused || !fit || hasLargeReward());
    if (refused) return;
    FUZZ_REQUIRE(fit);
    const bool mismatch = options.style == RowStyle::kConcat && options.onMismatch == OnMismatch::kError;
    const bool packable = limit(rows, options) && !(mismatch && !outline.mismatches().empty());
    FUZZ_REQUIRE(plan->unrewardedRoots().count == outline.unrewardedRoots().size());
    const bool unpackable = refuses([&] { layoutBatch(*plan, {}); });
    FUZZ_REQUIRE(unpackable == !packable);
    if (packable) exports_.push_back({std::move(*plan), std::move(rows), std::move(outline)});
  }

  bool hasLargeReward() const {
    return std::ranges::any_of(model_.all,
                               [](const ModelInteraction& at) { return std::abs(at.reward.value_or(0)) > 1e30; });
  }

  FuzzedDataProvider input_;
  Session session_{kKey};
  fuzz::SessionModel model_;
  std::deque<Export> exports_;
  /// Each byte of an item is another than those before it.
  unsigned lastItem_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Episode(data, size).run();
  return 0;
}
