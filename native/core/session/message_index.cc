#include "message_index.h"

namespace rolltape {

namespace {

MessageDigest listDigest(std::span<const MessageDigest> digests, std::size_t messages) {
  return messages == 0 ? MessageDigest{} : digests[messages - 1];
}

}  // namespace

void MessageIndex::add(const IndexedMessages& messages) {
  // An entry without an interaction means nothing: a throw below leaves the answers as they were.
  auto& [input, newestInput] = *byInput_.try_emplace(messages.input, kNone).first;
  auto& [conversation, newestConversation] = *byConversation_.try_emplace(messages.conversation, kNone).first;
  links_.push_back({&input, &conversation, newestInput, newestConversation, messages.callIds});
  newestInput = newestConversation = static_cast<std::uint32_t>(links_.size() - 1);
}

IndexedMessages MessageIndex::messages(std::uint32_t index) const {
  const Links& links = links_[index];
  return {*links.input, *links.conversation, links.callIds};
}

std::uint32_t MessageIndex::newest(const Table& table, const MessageDigest& digest) {
  const auto found = table.find(digest);
  return found == table.end() ? kNone : found->second;
}

std::optional<std::uint32_t> MessageIndex::longestPrefix(const Table& table, std::uint32_t Links::*older,
                                                         std::uint64_t CallIds::*ids,
                                                         std::span<const MessageDigest> digests,
                                                         std::span<const std::uint64_t> callIds) const {
  for (std::size_t messages = digests.size(); messages-- > 0;) {
    const std::uint32_t first = newest(table, listDigest(digests, messages));
    if (first == kNone) continue;
    const std::uint64_t wanted = messages == 0 || callIds.empty() ? 0 : callIds[messages - 1];
    if (wanted == 0) return first;
    for (std::uint32_t at = first; at != kNone; at = links_[at].*older) {
      if (links_[at].callIds.*ids == wanted) return at;
    }
    return first;
  }
  return std::nullopt;
}

std::optional<ParentMatch> MessageIndex::findParent(std::span<const MessageDigest> digests,
                                                    std::span<const std::uint64_t> callIds) const {
  if (const auto index =
          longestPrefix(byConversation_, &Links::olderConversation, &CallIds::conversation, digests, callIds)) {
    return ParentMatch{*index, ParentRule::kContinuation};
  }
  if (const auto index = longestPrefix(byInput_, &Links::olderInput, &CallIds::input, digests, callIds)) {
    return ParentMatch{*index, ParentRule::kMessages};
  }
  return std::nullopt;
}

std::optional<std::uint32_t> MessageIndex::olderTwin(std::uint32_t index) const {
  const Links& newer = links_[index];
  for (std::uint32_t at = newer.olderConversation; at != kNone; at = links_[at].olderConversation) {
    if (links_[at].input == newer.input && links_[at].callIds.conversation == newer.callIds.conversation) return at;
  }
  return std::nullopt;
}

std::size_t MessageIndex::byteLength() const {
  constexpr std::size_t entry = sizeof(Table::value_type) + 2 * sizeof(void*);
  return (byInput_.size() + byConversation_.size()) * entry +
         (byInput_.bucket_count() + byConversation_.bucket_count()) * sizeof(void*) + links_.capacity() * sizeof(Links);
}

}  // namespace rolltape
