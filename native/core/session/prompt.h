#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sequence.h"

namespace rolltape {

/// The input tokens of one model call: the whole sequence of a recorded interaction, if there is a base, and what
/// follows it. Immutable; keeps the storage of its base alive.
class Prompt {
 public:
  /// Copies the pieces. @throws kInvalidArg for a negative id, kTooLarge over kMaxSequenceTokens.
  explicit Prompt(std::span<const TokenSpan> pieces) : Prompt(nullptr, nullptr, pieces) {}
  Prompt(std::shared_ptr<const SessionStorage> storage, const Interaction* base, std::span<const TokenSpan> pieces);

  std::uint32_t length() const { return length_; }
  const Interaction* base() const { return base_; }
  /// What follows the base.
  TokenSpan tail() const { return tail_; }
  /// The whole prompt, in order. Valid as long as the prompt.
  std::vector<TokenSpan> spans() const;

 private:
  std::shared_ptr<const SessionStorage> storage_;
  const Interaction* base_;
  std::vector<std::int32_t> tail_;
  std::uint32_t length_;
};

}  // namespace rolltape
