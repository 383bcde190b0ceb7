#include "session.h"

#include <algorithm>

#include "../base/size.h"
#include "reward.h"

namespace rolltape {

namespace {

/// The ancestor, from `parent` up, whose own tokens the first `shared` tokens reach into: what lies between would add
/// empty spans to every later walk.
const Interaction* sourceOf(const Interaction* parent, std::uint32_t shared) {
  if (shared == 0) return nullptr;
  while (shared <= parent->shared) parent = parent->source;
  return parent;
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
  return sizeof(Session) + sizeof(SessionStorage) + storage_->arena.byteLength() + labels +
         storage_->interactions.size() * sizeof(Interaction) + states_.capacity() * sizeof(InteractionState) +
         index_.byteLength();
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
  return Prompt(storage_, &interaction(*base, "base"), pieces);
}

const Interaction* Session::chooseParent(const RecordInput& input) const {
  if (!input.parent) {
    const auto match = findParent(input.digests);
    return match ? &storage_->interactions[match->index] : nullptr;
  }
  return *input.parent < 0 ? nullptr : &interaction(static_cast<std::uint32_t>(*input.parent), "parent");
}

void Session::storeInput(Interaction& made, const Prompt& prompt) {
  made.inputLength = prompt.length();
  std::vector<TokenSpan> own;
  if (made.parent != nullptr && made.parent == prompt.base()) {
    made.shared = made.parent->sequenceLength();
    own.push_back(prompt.tail());
  } else {
    const std::vector<TokenSpan> input = prompt.spans();
    std::vector<TokenSpan> before;
    if (made.parent != nullptr) appendSequence(*made.parent, before);
    made.shared = static_cast<std::uint32_t>(commonPrefix(before, input));
    own = dropTokens(input, made.shared);
  }
  made.source = sourceOf(made.parent, made.shared);
  made.tokenExact = made.parent != nullptr && made.shared == made.parent->sequenceLength();
  made.exactFrom = made.tokenExact ? made.parent->exactFrom : made.shared;
  made.depth = made.parent == nullptr ? 0 : made.parent->depth + 1;
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
}

void Session::storeFacts(Interaction& made, const RecordInput& input) {
  made.factWords = storage_->arena.copy(input.facts).data();
  made.factCount = static_cast<std::uint32_t>(input.facts.size());
  made.startsRow = input.startsRow;
  if (!input.labels.empty()) made.labels = &*storage_->labelSets.insert(input.labels).first;
}

const Interaction& Session::record(const RecordInput& input) {
  if (states_.size() >= kMaxSequenceTokens) {
    throw Error(ErrorCode::kTooLarge, "the session has as many interactions as it can have");
  }
  Interaction made;
  made.index = static_cast<std::uint32_t>(states_.size());
  made.parent = chooseParent(input);
  storeInput(made, input.prompt);
  storeOutput(made, input.generation);
  storeFacts(made, input);
  return add(made, input);
}

/// Every step but the last may throw, and is undone then.
const Interaction& Session::add(const Interaction& made, const RecordInput& input) {
  const MessageDigest inputDigest = input.digests.empty() ? MessageDigest{} : input.digests.back();
  MessageDigest conversation = inputDigest;
  for (const std::string& message : input.output) conversation = chainDigest(key_, conversation, bytesOf(message));

  InteractionState& state = states_.emplace_back();
  state.parent = made.parentIndex();
  state.tokenExact = made.tokenExact;
  try {
    storage_->interactions.push_back(made);
  } catch (...) {
    states_.pop_back();
    throw;
  }
  try {
    index_.add(inputDigest, conversation, input.callIds);
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
