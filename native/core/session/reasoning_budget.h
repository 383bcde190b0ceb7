#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forced_runs.h"
#include "sequence.h"

namespace rolltape {

/// How an engine ends reasoning that has used up its budget: it writes `end`, maybe behind a fixed phrase.
struct BudgetRule {
  /// Reasoning begins behind each of these, and in the prompt if `end` does not follow there. Empty: it begins with the
  /// output, once.
  std::span<const std::int32_t> begin;
  /// Not empty.
  std::span<const std::int32_t> end;
  /// Most tokens of one piece of reasoning.
  std::uint32_t budget;
  /// The log probability of a forced token is 0. False: it is that of the model, and the engine writes `end` only.
  bool isCertain;
};

struct ForcedTokens {
  std::vector<ForcedRun> runs;
  /// The output ends in reasoning.
  bool isOpen = false;
};

/// Finds the tokens of an output that a budget forced.
/// @param prompt the pieces of the prompt
ForcedTokens findForcedTokens(std::span<const TokenSpan> prompt, std::span<const std::int32_t> ids,
                              std::span<const float> logprobs, const BudgetRule& rule);

}  // namespace rolltape
