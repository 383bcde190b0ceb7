#include "plan.h"

#include <algorithm>
#include <string>

#include "reward.h"
#include "size.h"

namespace rolltape {

namespace {

/// Interactions that a child continues token-exactly: not the last of their row.
std::vector<bool> continued(const Session& session) {
  std::vector<bool> is(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (at.tokenExact && !session.state(at.index).dropped) is[at.parent->index] = true;
  }
  return is;
}

}  // namespace

Plan::Plan(std::span<const Session* const> sessions, const PlanOptions& options) : options_(options) {
  storages_.reserve(sessions.size());
  for (const Session* session : sessions) {
    storages_.push_back(session->storage());
    addSession(*session);
  }
  measure();
}

void Plan::addSession(const Session& session) {
  const bool concat = options_.style == RowStyle::kConcat;
  const std::vector<double> rewards = session.discountedRewards(options_.discount);
  const std::vector<bool> inner = concat ? continued(session) : std::vector<bool>(session.length());
  for (const Interaction& at : session.storage()->interactions) {
    if (session.state(at.index).dropped) continue;
    if (concat && options_.onMismatch == OnMismatch::kError && at.parent != nullptr && !at.tokenExact) addMismatch(at);
    if (!inner[at.index]) addRow(at, finalReward(rewards[at.index], at.index));
  }
}

void Plan::addMismatch(const Interaction& child) {
  const std::uint32_t position = child.shared;
  mismatches_.push_back({static_cast<std::uint32_t>(storages_.size() - 1), child.parent->index, child.index, position,
                         tokenAt(*child.parent, position),
                         position < child.inputLength ? tokenAt(child, position) : -1});
}

void Plan::addRow(const Interaction& interaction, float reward) {
  PlanRow row{static_cast<std::uint32_t>(storages_.size() - 1), &interaction, interaction.sequenceLength(), reward};
  if (options_.maxLength > 0 && row.length > options_.maxLength) {
    if (options_.overflow == Overflow::kTruncate) {
      row.length = options_.maxLength;
    } else {
      overflows_.push_back(row);
      if (options_.overflow == Overflow::kDrop) return;
    }
  }
  rows_.push_back(row);
}

void Plan::measure() {
  std::uint64_t longest = 0;
  for (const PlanRow& row : rows_) longest = std::max<std::uint64_t>(longest, row.length);
  paddedLength_ = checkedRoundUp(longest, options_.padToMultipleOf);
  constexpr std::uint64_t bytesPerToken = 3 * sizeof(std::int32_t) + sizeof(float) + sizeof(bool);
  tokens_ = checkedMultiply(rows_.size(), paddedLength_);
  byteLength_ = checkedAdd(checkedMultiply(tokens_, bytesPerToken), checkedMultiply(rows_.size(), sizeof(float)));
}

void Plan::requirePackable() const {
  if (!mismatches_.empty()) {
    throw Error(ErrorCode::kInvalidArg,
                "the plan has " + std::to_string(mismatches_.size()) + " children that are not token-exact");
  }
  if (!overflows_.empty() && options_.overflow == Overflow::kError) {
    throw Error(ErrorCode::kInvalidArg, "the plan has " + std::to_string(overflows_.size()) + " rows over maxLength");
  }
}

}  // namespace rolltape
