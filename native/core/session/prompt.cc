#include "prompt.h"

#include <algorithm>
#include <string>

#include "../base/size.h"

namespace rolltape {

namespace {

std::vector<std::int32_t> join(std::span<const TokenSpan> pieces, std::size_t room) {
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
    throw Error(ErrorCode::kInvalidArg, "pieces: token " + std::to_string(negative - ids.begin()) + " is " +
                                            std::to_string(*negative) + "; ids are not negative");
  }
  return ids;
}

std::uint32_t lengthOf(const Interaction* base) {
  return base == nullptr ? 0 : base->sequenceLength();
}

}  // namespace

Prompt::Prompt(std::shared_ptr<const SessionStorage> storage, const Interaction* base,
               std::span<const TokenSpan> pieces)
    : storage_(std::move(storage)),
      base_(base),
      tail_(join(pieces, kMaxSequenceTokens - lengthOf(base))),
      length_(lengthOf(base) + static_cast<std::uint32_t>(tail_.size())) {}

std::vector<TokenSpan> Prompt::spans() const {
  std::vector<TokenSpan> spans;
  if (base_ != nullptr) appendSequence(*base_, spans);
  if (!tail_.empty()) spans.emplace_back(tail_);
  return spans;
}

}  // namespace rolltape
