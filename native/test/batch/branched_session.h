#pragma once

#include <span>
#include <utility>
#include <vector>

#include "../../core/batch/batch.h"
#include "../forest.h"

/// A session with a branch, and plans of it from which interactions are left out or filtered.

namespace rolltape::test {

using Indices = std::vector<std::uint32_t>;

/// 0 → 1 → 2 continue token by token; 3 follows 1 with other tokens.
inline void recordConversation(Session& session) {
  record(session, promptOf({1}), generationOf({2}), {}, {}, -1);
  record(session, promptAfter(session, 0, {3}), generationOf({4}), {}, {}, 0);
  record(session, promptAfter(session, 1, {5}), generationOf({6}), {}, {}, 1);
  record(session, promptOf({9}), generationOf({8}), {}, {}, 1);
}

inline Plan planWithout(const Session& session, Indices leftOut, Indices filtered, const PlanOptions& options) {
  const PlannedSession planned{&session, std::move(leftOut), std::move(filtered)};
  return Plan(std::span<const PlannedSession>(&planned, 1), options);
}

/// Returns the interaction at the end of each row.
inline Indices rowsOf(const Plan& plan) {
  Indices rows;
  for (const PlanRow& row : plan.rows()) rows.push_back(row.interaction->index);
  return rows;
}

}  // namespace rolltape::test
