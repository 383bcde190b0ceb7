#include "reasoning_budget.h"

#include <algorithm>
#include <cstddef>

namespace rolltape {

namespace {

/// Finds a marker in tokens that come one by one (Knuth, Morris and Pratt).
class MarkerMatch {
 public:
  explicit MarkerMatch(std::span<const std::int32_t> marker) : marker_(marker), fallback_(marker.size()) {
    for (std::size_t i = 1, length = 0; i < marker.size(); ++i) {
      while (length > 0 && marker[i] != marker[length]) length = fallback_[length - 1];
      if (marker[i] == marker[length]) ++length;
      fallback_[i] = length;
    }
  }

  /// Returns true if the marker ends with this token.
  bool add(std::int32_t id) {
    if (marker_.empty()) return false;
    while (matched_ > 0 && id != marker_[matched_]) matched_ = fallback_[matched_ - 1];
    if (id == marker_[matched_]) ++matched_;
    if (matched_ < marker_.size()) return false;
    matched_ = 0;
    return true;
  }
  void restart() { matched_ = 0; }

 private:
  std::span<const std::int32_t> marker_;
  std::vector<std::size_t> fallback_;
  std::size_t matched_ = 0;
};

/// Follows the reasoning through prompt and output.
class Reasoning {
 public:
  explicit Reasoning(const BudgetRule& rule) : begin_(rule.begin), end_(rule.end) {}

  bool isOpen() const { return isOpen_; }
  /// Tokens since the reasoning began.
  std::uint64_t length() const { return length_; }
  void open() {
    isOpen_ = true;
    length_ = 0;
    end_.restart();
  }

  /// The last marker of a prompt decides.
  void addPrompt(std::int32_t id) {
    ++length_;
    const bool hasEnded = end_.add(id);
    if (begin_.add(id)) {
      open();
    } else if (hasEnded) {
      isOpen_ = false;
    }
  }

  /// Returns true if this token ends reasoning.
  bool addOutput(std::int32_t id) {
    if (!isOpen_) {
      if (begin_.add(id)) open();
      return false;
    }
    ++length_;
    if (!end_.add(id)) return false;
    isOpen_ = false;
    begin_.restart();
    return true;
  }

 private:
  MarkerMatch begin_;
  MarkerMatch end_;
  bool isOpen_ = false;
  std::uint64_t length_ = 0;
};

/// The tokens [from, to) of an output in which the budget is used up. They end with the end marker if `isWhole`.
struct Overrun {
  std::uint32_t from;
  std::uint32_t to;
  bool isWhole;
};

/// Returns the part of an overrun that the engine wrote; none if the tokens do not show it.
ForcedRun evidentRun(const Overrun& overrun, std::span<const std::int32_t> ids, std::span<const float> logprobs,
                     const BudgetRule& rule) {
  const auto [from, to, isWhole] = overrun;
  const ForcedRun none{to, 0};
  const std::uint32_t length = to - from;
  const auto marker = static_cast<std::uint32_t>(std::min<std::size_t>(rule.end.size(), length));
  if (!rule.isCertain) {
    if (isWhole) return length <= rule.end.size() ? ForcedRun{from, length} : none;
    const bool isMarker =
        length <= rule.end.size() && std::ranges::equal(ids.subspan(from, length), rule.end.first(length));
    return isMarker ? ForcedRun{from, length} : none;
  }
  // Some servers begin to force later than others, so the run is what is certain at the end of the overrun.
  std::uint32_t start = to;
  while (start > from && logprobs[start - 1] == 0) --start;
  const bool isEvident = isWhole ? to - start >= marker : start == from;
  return isEvident ? ForcedRun{start, to - start} : none;
}

}  // namespace

ForcedTokens findForcedTokens(std::span<const TokenSpan> prompt, std::span<const std::int32_t> ids,
                              std::span<const float> logprobs, const BudgetRule& rule) {
  ForcedTokens found;
  Reasoning reasoning(rule);
  const auto count = static_cast<std::uint32_t>(ids.size());
  std::uint32_t from = count;
  const auto close = [&](std::uint32_t to, bool isWhole) {
    const ForcedRun run = evidentRun({from, to, isWhole}, ids, logprobs, rule);
    if (run.length > 0) found.runs.push_back(run);
    from = count;
  };
  if (rule.begin.empty()) {
    reasoning.open();
  } else {
    for (const TokenSpan piece : prompt) {
      for (const std::int32_t id : piece) reasoning.addPrompt(id);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (reasoning.isOpen() && reasoning.length() >= rule.budget) from = std::min(from, i);
    if (reasoning.addOutput(ids[i]) && from < count) close(i + 1, true);
  }
  found.isOpen = reasoning.isOpen();
  if (from < count) close(count, false);
  return found;
}

}  // namespace rolltape
