#include "sequence_index.h"

#include <bit>
#include <span>

namespace rolltape {

namespace {

constexpr std::uint64_t kEmptyHash = 0x9e3779b97f4a7c15;

/// Returns the hash of a sequence from that of all its tokens but the last.
std::uint64_t hashNext(std::uint64_t before, std::int32_t id) {
  return (std::rotl(before, 25) ^ static_cast<std::uint32_t>(id)) * 0xff51afd7ed558ccd;
}

bool startsWith(TokenSpan tokens, const Interaction& interaction) {
  std::vector<TokenSpan> sequence;
  appendSequence(interaction, sequence);
  return commonPrefix(sequence, std::span(&tokens, 1)) == interaction.sequenceLength();
}

}  // namespace

std::uint64_t SequenceIndex::hashSequence(const Interaction& interaction) const {
  std::uint64_t hash = kEmptyHash;
  std::vector<TokenSpan> spans;
  if (interaction.tokenExact) {
    hash = hashes_[interaction.parent->index];
    spans = {interaction.tailIds(), {interaction.outputIds, interaction.outputLength}};
  } else {
    appendSequence(interaction, spans);
  }
  for (const TokenSpan span : spans) {
    for (const std::int32_t id : span) hash = hashNext(hash, id);
  }
  return hash;
}

void SequenceIndex::addNew(const SessionStorage& storage) {
  for (auto index = static_cast<std::uint32_t>(hashes_.size()); index < storage.interactions.size(); ++index) {
    const Interaction& interaction = storage.interactions[index];
    const std::uint64_t hash = hashSequence(interaction);
    const std::size_t length = interaction.sequenceLength();
    if (lengths_.size() <= length) lengths_.resize(length + 1);
    lengths_[length] = true;
    newestByHash_.insert_or_assign(hash, index);
    hashes_.push_back(hash);
  }
}

std::optional<std::uint32_t> SequenceIndex::findLongestPrefix(const SessionStorage& storage, TokenSpan tokens) {
  addNew(storage);
  // In ascending order of their lengths.
  std::vector<std::uint32_t> candidates;
  std::uint64_t hash = kEmptyHash;
  for (std::size_t i = 0; i < tokens.size() && i + 1 < lengths_.size(); ++i) {
    hash = hashNext(hash, tokens[i]);
    if (!lengths_[i + 1]) continue;
    const auto found = newestByHash_.find(hash);
    if (found != newestByHash_.end()) candidates.push_back(found->second);
  }
  for (auto at = candidates.rbegin(); at != candidates.rend(); ++at) {
    if (startsWith(tokens, storage.interactions[*at])) return *at;
  }
  return std::nullopt;
}

std::size_t SequenceIndex::byteLength() const {
  // A node of the map has a pointer to the next one beside its pair, and a bucket points to it.
  constexpr std::size_t kNodeBytes = sizeof(std::pair<std::uint64_t, std::uint32_t>) + 2 * sizeof(void*);
  return hashes_.capacity() * sizeof(std::uint64_t) + newestByHash_.size() * kNodeBytes + lengths_.capacity() / 8;
}

}  // namespace rolltape
