#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "message_digest.h"

namespace rolltape {

/// By which of its message lists a parent was found.
enum class ParentRule { kContinuation, kMessages };

struct ParentMatch {
  std::uint32_t index;
  ParentRule rule;
};

/// Identifies the ids of all tool calls in a message list; 0 if it has none. Messages are compared without these ids:
/// they tell apart lists that are otherwise the same.
struct CallIds {
  std::uint64_t input = 0;
  std::uint64_t conversation = 0;
};

/// The digests of one interaction's messages: of its input, and of its input and output.
struct IndexedMessages {
  MessageDigest input{};
  MessageDigest conversation{};
  CallIds callIds = {};
};

/// Finds interactions by their messages: a table from chain digest to the newest interaction for the input messages,
/// and one for input and output messages; older interactions with the same digest hang behind the newest.
class MessageIndex {
 public:
  MessageIndex() = default;
  // Links point into the tables.
  MessageIndex(const MessageIndex&) = delete;
  MessageIndex& operator=(const MessageIndex&) = delete;
  MessageIndex(MessageIndex&&) = default;
  MessageIndex& operator=(MessageIndex&&) = default;

  /// Adds the next interaction: indices count from 0. @throws std::bad_alloc; nothing changed then.
  void add(const IndexedMessages& messages);
  /// The entries of interaction `index`.
  IndexedMessages messages(std::uint32_t index) const;

  /// The best parent for a request whose messages have these digests: the longest input and output that is a strict
  /// prefix, else the longest input that is one. Of equals the newest whose tool calls have the request's ids, else the
  /// newest. Costs time in the number of digests; with call ids also in that of equals.
  /// @param callIds of the request's first message, first two messages, and so on; empty if it has no tool calls
  std::optional<ParentMatch> findParent(std::span<const MessageDigest> digests,
                                        std::span<const std::uint64_t> callIds = {}) const;

  /// Returns the next older interaction with the input, the output and all tool call ids of interaction `index`.
  std::optional<std::uint32_t> olderTwin(std::uint32_t index) const;

  std::size_t byteLength() const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Links {
    /// Keys of the two tables, whose entries do not move.
    const MessageDigest* input;
    const MessageDigest* conversation;
    std::uint32_t olderInput;
    std::uint32_t olderConversation;
    CallIds callIds;
  };
  using Table = std::unordered_map<MessageDigest, std::uint32_t, MessageDigestHash>;

  static std::uint32_t newest(const Table& table, const MessageDigest& digest);
  std::optional<std::uint32_t> longestPrefix(const Table& table, std::uint32_t Links::*older,
                                             std::uint64_t CallIds::*ids, std::span<const MessageDigest> digests,
                                             std::span<const std::uint64_t> callIds) const;

  Table byInput_;
  Table byConversation_;
  std::vector<Links> links_;
};

}  // namespace rolltape
