#include "row_order.h"

#include <algorithm>

namespace rolltape {

namespace {

/// The rows' interactions and all that their tokens are stored with, by rising index. Rows are by rising index.
std::vector<const Interaction*> withSources(std::span<const PlanRow> rows) {
  std::vector<const Interaction*> byIndex(rows.empty() ? 0 : std::size_t{rows.back().interaction->index} + 1);
  for (const PlanRow& row : rows) {
    for (const Interaction* at = row.interaction; at != nullptr && byIndex[at->index] == nullptr; at = at->source) {
      byIndex[at->index] = at;
    }
  }
  std::erase(byIndex, nullptr);
  return byIndex;
}

/// Appends the order of one session's rows, the first of which is row `first` of the plan.
void appendOrder(std::span<const PlanRow> rows, std::uint32_t first, std::vector<std::uint32_t>& order) {
  constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> rowOf(std::size_t{rows.back().interaction->index} + 1, none);
  for (std::uint32_t i = 0; i < rows.size(); ++i) rowOf[rows[i].interaction->index] = first + i;
  for (const TreeNode& node : depthFirst(withSources(rows))) {
    const std::uint32_t row = rowOf[node.interaction->index];
    if (row != none) order.push_back(row);
  }
}

}  // namespace

std::vector<std::uint32_t> rowOrder(const Plan& plan) {
  const std::span<const PlanRow> rows = plan.rows();
  std::vector<std::uint32_t> order;
  order.reserve(rows.size());
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].session == rows[begin].session) ++end;
    appendOrder(rows.subspan(begin, end - begin), static_cast<std::uint32_t>(begin), order);
    begin = end;
  }
  return order;
}

}  // namespace rolltape
