#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sequence.h"

namespace rolltape {

/// The input tokens of one model call: the start of a recorded interaction's sequence, if there is a base, and what
/// follows it. Immutable; keeps the storage of its base alive.
class Prompt {
 public:
  /// Copies the pieces. @throws kInvalidArg for a negative id, kTooLarge over kMaxSequenceTokens.
  explicit Prompt(std::span<const TokenSpan> pieces);
  /// The whole sequence of `base`, followed by the pieces, which are copied. @throws as above.
  static Prompt after(std::shared_ptr<const SessionStorage> storage, const Interaction& base,
                      std::span<const TokenSpan> pieces);
  /// The pieces. What they have in common with the sequence of `base` at its start is not copied. @throws as above.
  static Prompt sharing(std::shared_ptr<const SessionStorage> storage, const Interaction& base,
                        std::span<const TokenSpan> pieces);

  std::uint32_t length() const { return length_; }
  const Interaction* base() const { return base_; }
  /// Tokens that the whole prompt and the sequence of the base have in common at their start.
  std::uint32_t sharedWithBase() const { return shared_; }
  /// The tokens after those that it shares with its base.
  TokenSpan tail() const { return tail_; }
  /// Returns the first token whose item of a channel of sequences no interaction has; see rolltape::firstUnrecorded.
  std::uint32_t firstUnrecorded(std::string_view channel) const {
    return rolltape::firstUnrecorded(base_, shared_, channel);
  }
  /// The whole prompt, in order. Valid as long as the prompt.
  std::vector<TokenSpan> spans() const;

 private:
  Prompt(std::shared_ptr<const SessionStorage> storage, const Interaction* base, std::uint32_t shared,
         std::vector<std::int32_t> tail);

  std::shared_ptr<const SessionStorage> storage_;
  const Interaction* base_;
  std::uint32_t shared_;
  std::vector<std::int32_t> tail_;
  std::uint32_t length_;
};

}  // namespace rolltape
