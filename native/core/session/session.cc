#include "session.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "../base/size.h"
#include "missing_items.h"
#include "reward.h"

namespace rolltape {

namespace {

/// Checks that a restored input shares as many tokens as it has in common with its parent's sequence. Comparisons of
/// the two expect the first difference there.
void requireSharedTokens(const Interaction& made, std::span<const std::uint8_t> tail) {
  if (made.parent == nullptr) return;
  const std::uint32_t before = made.parent->sequenceLength();
  if (made.shared > before) {
    throw Error(ErrorCode::kStoredInvalid,
                "shared: " + std::to_string(made.shared) + " tokens, but the parent has " + std::to_string(before));
  }
  if (made.shared == before || tail.empty()) return;
  std::int32_t next = 0;
  std::memcpy(&next, tail.data(), sizeof next);
  if (next == tokenAt(*made.parent, made.shared)) {
    throw Error(ErrorCode::kStoredInvalid, "shared: fewer tokens than the input has in common with its parent");
  }
}

/// Tokens that a prompt has in common with the whole sequence of its parent.
std::uint32_t countShared(const Interaction& parent, const Prompt& prompt) {
  if (&parent == prompt.base()) return prompt.sharedWithBase();
  std::vector<TokenSpan> before;
  appendSequence(parent, before);
  return static_cast<std::uint32_t>(commonPrefix(before, prompt.spans()));
}

/// Links lead to an interaction between the parent and this one, so they never form a cycle. A session reward follows
/// the later of link and parent.
void requireCompaction(const Interaction& made) {
  if (made.compactedFrom == -1) return;
  const bool isEarlier = made.compactedFrom < static_cast<std::int64_t>(made.index);
  if (isEarlier && made.compactedFrom > made.parentIndex()) return;
  throw Error(ErrorCode::kInvalidArg, "compactedFrom: " + std::to_string(made.compactedFrom) +
                                          " must be an earlier interaction that is later than the parent");
}

/// Returns the first token whose item is recorded with this interaction.
std::uint32_t firstUnrecorded(const Interaction& made, const ChannelSpec& spec) {
  return spec.ofSequence ? rolltape::firstUnrecorded(made.source, made.shared, spec.name) : made.shared;
}

/// Checks that a restored interaction has no items of tokens that have some already.
void requireUnrecorded(const Interaction& made, std::span<const ChannelBuffer> channels) {
  for (const ChannelBuffer& buffer : channels) {
    if (buffer.first >= firstUnrecorded(made, buffer.spec)) continue;
    throw Error(ErrorCode::kStoredInvalid,
                "channels: token " + std::to_string(buffer.first) + " has items of " + buffer.spec.name + " already");
  }
}

/// Most bytes of a call's channels. A stored interaction has at most twice as many.
constexpr std::uint64_t kMaxChannelBytes = std::uint64_t{1} << 31;

/// Refuses channels with which the session could not be stored or exported.
void requireStorable(std::set<ChannelSpec> channels, std::span<const ChannelRun> runs) {
  const std::size_t known = channels.size();
  std::uint64_t bytes = 0;
  for (const ChannelRun& run : runs) {
    channels.insert(*run.spec);
    bytes += run.bytes(run.first, run.end()).size();
  }
  if (bytes > kMaxChannelBytes) {
    throw Error(ErrorCode::kTooLarge,
                "generation: its channels have more than " + std::to_string(kMaxChannelBytes) + " bytes");
  }
  if (channels.size() == known) return;
  TensorNames names;
  for (const ChannelSpec& spec : channels) {
    if (names.add(spec)) continue;
    throw Error(ErrorCode::kInvalidArg,
                "channel " + spec.name + ": the session has another channel with a tensor of the same name");
  }
}

/// Refuses a run that cannot be added to the sequence of a recorded interaction.
void requireAddable(const Interaction& leaf, const ChannelRun& run) {
  requireChannel(*run.spec);
  if (!run.spec->ofSequence || run.spec->isRagged()) {
    throw Error(ErrorCode::kInvalidArg, "channel " + run.spec->name + ": only sequence channels can be added");
  }
  if (run.end() <= leaf.sequenceLength()) return;
  throw Error(ErrorCode::kInvalidArg, "channel " + run.spec->name + ": token " + std::to_string(run.end() - 1) +
                                          " is beyond the " + std::to_string(leaf.sequenceLength()) + " tokens");
}

std::vector<ChannelRun> runsOf(const Generation& generation, std::uint32_t inputLength) {
  std::vector<ChannelRun> runs;
  for (const ChannelBuffer& buffer : generation.channels()) {
    runs.push_back(buffer.run(buffer.spec.ofSequence ? 0 : inputLength));
  }
  return runs;
}

/// Returns true if the arena should keep these bytes of a buffer where they are: there are many, and the buffer has
/// little else.
bool isWorthTaking(const ChannelBuffer& buffer, std::size_t bytes) {
  constexpr std::size_t kFewBytes = 1 << 16;
  return bytes >= kFewBytes && buffer.values.capacity() - bytes <= bytes / 8;
}

std::span<const std::uint8_t> bytesOf(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::size_t Session::byteLength() const {
  std::size_t labels = 0;
  for (const LabelSet& set : storage_->labelSets) {
    labels += sizeof(LabelSet);
    for (const std::string& label : set) labels += sizeof(std::string) + label.capacity();
  }
  const std::size_t channels = storage_->channelBytes + storage_->channelSpecs.size() * sizeof(ChannelSpec);
  return sizeof(Session) + sizeof(SessionStorage) + storage_->arena.byteLength() + labels + channels +
         storage_->interactions.size() * sizeof(Interaction) + states_.capacity() * sizeof(InteractionState) +
         index_.byteLength() + sequences_.byteLength();
}

const Interaction& Session::interaction(std::uint32_t index, const char* name) const {
  if (index >= states_.size()) {
    throw Error(ErrorCode::kInvalidArg, std::string(name) + ": interaction " + std::to_string(index) +
                                            " is not one of the " + std::to_string(states_.size()) + " recorded");
  }
  return storage_->interactions[index];
}

Prompt Session::prompt(std::span<const TokenSpan> pieces, std::optional<std::uint32_t> base) const {
  if (!base) return Prompt(pieces);
  return Prompt::after(storage_, interaction(*base, "base"), pieces);
}

Prompt Session::promptSharing(std::span<const TokenSpan> pieces, std::uint32_t likelyParent) const {
  return Prompt::sharing(storage_, interaction(likelyParent, "likelyParent"), pieces);
}

const Interaction* Session::chooseParent(const RecordInput& input) const {
  if (!input.parent) {
    const auto match = findParent(input.digests);
    return match ? &storage_->interactions[match->index] : nullptr;
  }
  return *input.parent < 0 ? nullptr : &interaction(static_cast<std::uint32_t>(*input.parent), "parent");
}

std::uint32_t Session::sharedLength(const Prompt& prompt, std::uint32_t parent) const {
  return countShared(interaction(parent, "parent"), prompt);
}

void Session::storeInput(Interaction& made, const Prompt& prompt) {
  made.inputLength = prompt.length();
  if (made.parent != nullptr) made.shared = countShared(*made.parent, prompt);
  const bool isParentBase = made.parent != nullptr && made.parent == prompt.base();
  const std::vector<TokenSpan> own =
      isParentBase ? std::vector<TokenSpan>{prompt.tail()} : dropTokens(prompt.spans(), made.shared);
  derivePlace(made);
  const std::span<std::int32_t> tail = storage_->arena.allocate<std::int32_t>(made.inputLength - made.shared);
  auto to = tail.begin();
  for (const TokenSpan span : own) to = std::copy(span.begin(), span.end(), to);
  made.tail = tail.data();
}

void Session::storeOutput(Interaction& made, const Generation& generation) {
  if (generation.length() > kMaxSequenceTokens - made.inputLength) {
    throw Error(ErrorCode::kTooLarge, "generation: input and output have more tokens than one sequence can have");
  }
  TokenArena& arena = storage_->arena;
  made.outputLength = generation.length();
  made.outputIds = arena.copy(generation.ids()).data();
  made.logprobs = arena.copy(generation.logprobs()).data();
  made.versionRuns = arena.copy(generation.versionRuns()).data();
  made.versionRunCount = static_cast<std::uint32_t>(generation.versionRuns().size());
  made.forcedRuns = arena.copy(generation.forcedRuns()).data();
  made.forcedRunCount = static_cast<std::uint32_t>(generation.forcedRuns().size());
}

void Session::storeFacts(Interaction& made, const RecordInput& input) {
  if (input.facts.size() > kMaxFacts) {
    throw Error(ErrorCode::kInvalidArg, "facts: there are more than " + std::to_string(kMaxFacts));
  }
  made.factWords = storage_->arena.copy(input.facts).data();
  made.factCount = static_cast<std::uint16_t>(input.facts.size());
  made.startsRow = input.startsRow;
  storeLabels(made, input.labels);
}

void Session::storeLabels(Interaction& made, const LabelSet& labels) {
  if (!labels.empty()) made.labels = &*storage_->labelSets.insert(labels).first;
}

std::vector<std::size_t> Session::storeChannels(Interaction& made, std::span<const ChannelRun> runs,
                                                std::span<const ChannelBuffer> taken) {
  if (runs.empty()) return {};
  requireStorable(storage_->channelSpecs, runs);
  ChannelRuns stored;
  std::vector<std::size_t> used;
  for (std::size_t index = 0; index < runs.size(); ++index) {
    const ChannelRun& run = runs[index];
    const std::uint32_t from = std::max(run.first, firstUnrecorded(made, *run.spec));
    const std::uint32_t end = std::min(run.end(), made.sequenceLength());
    if (from >= end) continue;
    ChannelRun& own = stored.emplace_back();
    own = {&keep(*run.spec), from, end - from, nullptr, nullptr};
    const std::span<const std::byte> bytes = run.bytes(from, end);
    const bool stays = !taken.empty() && isWorthTaking(taken[index], bytes.size());
    if (stays) used.push_back(index);
    own.values = stays ? bytes.data() : storage_->arena.copyAll(bytes);
    if (!run.spec->isRagged()) continue;
    const std::span<std::uint32_t> starts = storage_->arena.allocate<std::uint32_t>(own.count + std::size_t{1});
    for (std::uint32_t i = 0; i <= own.count; ++i) {
      starts[i] = static_cast<std::uint32_t>(run.itemsBefore(from + i) - run.itemsBefore(from));
    }
    own.starts = starts.data();
  }
  if (stored.empty()) return {};
  const std::size_t recorded = stored.size();
  made.currentChannels.set(keep({std::move(stored), recorded}));
  storage_->arena.reserveAdopted(used.size());
  return used;
}

const InteractionChannels* Session::keep(InteractionChannels channels) {
  const std::size_t bytes = sizeof channels + channels.runs.capacity() * sizeof(ChannelRun);
  const auto& kept = storage_->channels.emplace_back(std::make_unique<const InteractionChannels>(std::move(channels)));
  storage_->channelBytes += bytes;
  return kept.get();
}

const ChannelSpec& Session::keep(const ChannelSpec& spec) {
  return *storage_->channelSpecs.insert(spec).first;
}

void Session::declareChannel(const ChannelSpec& spec) {
  requireChannel(spec);
  const auto hasName = [&](const ChannelSpec& known) { return known.name == spec.name; };
  if (std::ranges::any_of(storage_->channelSpecs, hasName)) return;
  requireStorable(storage_->channelSpecs, std::vector{ChannelRun{&spec, 0, 0, nullptr, nullptr}});
  keep(spec);
}

std::vector<std::uint32_t> Session::addChannel(std::uint32_t leaf, const ChannelRun& run) {
  const Interaction& last = interaction(leaf, "leaf");
  requireAddable(last, run);
  requireStorable(storage_->channelSpecs, std::span(&run, 1));
  const ChannelSpec& spec = keep(*run.spec);
  std::vector<std::pair<std::uint32_t, const InteractionChannels*>> changed;
  forEachNode(last, [&](const Interaction& at, std::uint32_t end) {
    const std::uint32_t from = firstMissing(at, spec.name);
    const std::uint32_t to = std::min(end, run.end());
    if (from >= to || run.first > from) return;
    const InteractionChannels* before = at.currentChannels.newest();
    InteractionChannels added{.since = nextChannelMoment(), .before = before};
    if (before != nullptr) added.runs = before->runs;
    added.recorded = before == nullptr ? 0 : before->recorded;
    added.runs.push_back({&spec, from, to - from, storage_->arena.copyAll(run.bytes(from, to)), nullptr});
    changed.emplace_back(at.index, keep(std::move(added)));
  });
  std::vector<std::uint32_t> indices;
  indices.reserve(changed.size());
  for (const auto& [index, channels] : changed) indices.push_back(index);
  for (const auto& [index, channels] : changed) storage_->interactions[index].currentChannels.set(channels);
  return indices;
}

AddedChannelsWriter Session::serializeAdded(std::uint32_t index) const {
  return AddedChannelsWriter(interaction(index));
}

void Session::restoreAdded(StoredBytes bytes) {
  const StoredAddedChannels stored = readAddedChannels(bytes);
  requireStored(stored.index < states_.size(), "index: not an interaction of the session");
  const Interaction& at = storage_->interactions[stored.index];
  for (const ChannelBuffer& buffer : stored.channels) {
    const bool fits = buffer.first == firstMissing(at, buffer.spec.name) && buffer.end() <= at.sequenceLength();
    requireStored(fits && buffer.spec.ofSequence && !buffer.spec.isRagged(),
                  "channels: not the missing items of the interaction's own tokens");
    requireRestored([&] { addChannel(stored.index, buffer.run(0)); });
  }
}

const Interaction& Session::record(const RecordInput& input) {
  if (states_.size() >= kMaxSequenceTokens) {
    throw Error(ErrorCode::kTooLarge, "the session has as many interactions as it can have");
  }
  Interaction made;
  made.index = static_cast<std::uint32_t>(states_.size());
  made.parent = chooseParent(input);
  made.compactedFrom = input.compactedFrom;
  requireCompaction(made);
  storeInput(made, input.prompt);
  storeOutput(made, input.generation);
  storeFacts(made, input);
  // The last step that can refuse the input: a batch has every channel of the storage.
  const auto taken = input.consumed == nullptr ? std::span<const ChannelBuffer>() : input.consumed->channels();
  const std::vector<std::size_t> used = storeChannels(made, runsOf(input.generation, made.inputLength), taken);
  IndexedMessages messages{.callIds = input.callIds};
  if (!input.digests.empty()) messages.input = input.digests.back();
  messages.conversation = messages.input;
  for (const std::string& message : input.output) {
    messages.conversation = chainDigest(key_, messages.conversation, bytesOf(message));
  }
  const Interaction& recorded = add(made, messages);
  for (const std::size_t index : used) storage_->arena.adopt(input.consumed->takeValues(index));
  return recorded;
}

InteractionWriter Session::serialize(std::uint32_t index) const {
  return {interaction(index), index_.messages(index)};
}

const Interaction& Session::restore(std::span<const std::uint8_t> bytes, std::int32_t compactedFrom) {
  const StoredInteraction stored = readStoredInteraction(bytes);
  if (stored.index != states_.size()) {
    throw Error(ErrorCode::kStoredInvalid, "index: this is interaction " + std::to_string(stored.index) +
                                               ", but the next one is " + std::to_string(states_.size()));
  }
  Interaction made;
  made.index = stored.index;
  if (stored.parent >= 0) made.parent = &storage_->interactions[static_cast<std::uint32_t>(stored.parent)];
  made.compactedFrom = compactedFrom;
  requireCompaction(made);
  restoreTokens(made, stored);
  std::vector<ChannelRun> runs;
  for (const ChannelBuffer& buffer : stored.channels) runs.push_back(buffer.run(0));
  requireRestored([&] { storeChannels(made, runs); });
  made.startsRow = stored.startsRow;
  storeLabels(made, stored.labels);
  return add(made, stored.messages);
}

void Session::restoreTokens(Interaction& made, const StoredInteraction& stored) {
  made.shared = stored.shared;
  made.inputLength = stored.inputLength;
  made.outputLength = stored.outputLength;
  requireSharedTokens(made, stored.tail);
  derivePlace(made);
  requireUnrecorded(made, stored.channels);
  TokenArena& arena = storage_->arena;
  made.tail = arena.copyBytes<std::int32_t>(stored.tail).data();
  made.outputIds = arena.copyBytes<std::int32_t>(stored.outputIds).data();
  made.logprobs = arena.copyBytes<float>(stored.logprobs).data();
  const std::span<const VersionRun> runs = arena.copyBytes<VersionRun>(stored.versionRuns);
  made.versionRuns = runs.data();
  made.versionRunCount = static_cast<std::uint32_t>(runs.size());
  const std::span<const ForcedRun> forced = arena.copyBytes<ForcedRun>(stored.forcedRuns);
  made.forcedRuns = forced.data();
  made.forcedRunCount = static_cast<std::uint32_t>(forced.size());
  const std::span<const std::uint32_t> facts = arena.copyBytes<std::uint32_t>(stored.facts);
  made.factWords = facts.data();
  made.factCount = static_cast<std::uint16_t>(facts.size());
}

/// Every step but the last may throw. If one throws, the earlier ones are undone.
const Interaction& Session::add(const Interaction& made, const IndexedMessages& messages) {
  InteractionState& state = states_.emplace_back();
  state.parent = made.parentIndex();
  state.compactedFrom = made.compactedFrom;
  state.tokenExact = made.tokenExact;
  try {
    storage_->interactions.push_back(made);
  } catch (...) {
    states_.pop_back();
    throw;
  }
  try {
    index_.add(messages);
  } catch (...) {
    storage_->interactions.pop_back();
    states_.pop_back();
    throw;
  }
  if (made.parent != nullptr) ++states_[made.parent->index].children;
  Interaction& added = storage_->interactions.back();
  added.rowStart = added.tokenExact ? added.parent->rowStart : &added;
  return added;
}

void Session::setReward(std::uint32_t index, double reward) {
  requireReward(reward);
  states_[interaction(index).index].ownReward = reward;
}

void Session::setSessionReward(double reward) {
  requireReward(reward);
  sessionReward_ = reward;
}

}  // namespace rolltape
