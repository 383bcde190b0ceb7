#include "prompt.h"

#include <algorithm>
#include <string>

#include "../base/size.h"

namespace rolltape {

namespace {

/// @param known number of tokens before these, which were checked already. Messages name positions in the whole pieces.
std::vector<std::int32_t> join(std::span<const TokenSpan> pieces, std::size_t room, std::size_t known = 0) {
  std::size_t total = 0;
  for (const TokenSpan piece : pieces) {
    total += piece.size();
    if (total > room) throw Error(ErrorCode::kTooLarge, "the prompt has more tokens than one sequence can have");
  }
  std::vector<std::int32_t> ids;
  ids.reserve(total);
  for (const TokenSpan piece : pieces) ids.insert(ids.end(), piece.begin(), piece.end());
  const auto negative = std::find_if(ids.begin(), ids.end(), [](std::int32_t id) { return id < 0; });
  if (negative != ids.end()) {
    const std::size_t position = known + static_cast<std::size_t>(negative - ids.begin());
    throw Error(ErrorCode::kInvalidArg, "pieces: token " + std::to_string(position) + " is " +
                                            std::to_string(*negative) + "; ids are not negative");
  }
  return ids;
}

}  // namespace

Prompt::Prompt(std::shared_ptr<const SessionStorage> storage, const Interaction* base, std::uint32_t shared,
               std::vector<std::int32_t> tail)
    : storage_(std::move(storage)),
      base_(base),
      shared_(shared),
      tail_(std::move(tail)),
      length_(shared_ + static_cast<std::uint32_t>(tail_.size())) {}

Prompt::Prompt(std::span<const TokenSpan> pieces) : Prompt(nullptr, nullptr, 0, join(pieces, kMaxSequenceTokens)) {}

Prompt Prompt::after(std::shared_ptr<const SessionStorage> storage, const Interaction& base,
                     std::span<const TokenSpan> pieces) {
  const std::uint32_t shared = base.sequenceLength();
  return {std::move(storage), &base, shared, join(pieces, kMaxSequenceTokens - shared)};
}

Prompt Prompt::sharing(std::shared_ptr<const SessionStorage> storage, const Interaction& base,
                       std::span<const TokenSpan> pieces) {
  std::vector<TokenSpan> sequence;
  appendSequence(base, sequence);
  const auto shared = static_cast<std::uint32_t>(commonPrefix(sequence, pieces));
  return {std::move(storage), &base, shared, join(dropTokens(pieces, shared), kMaxSequenceTokens - shared, shared)};
}

std::vector<TokenSpan> Prompt::spans() const {
  std::vector<TokenSpan> spans;
  if (base_ != nullptr) appendSequence(*base_, shared_, spans);
  if (!tail_.empty()) spans.emplace_back(tail_);
  return spans;
}

}  // namespace rolltape
