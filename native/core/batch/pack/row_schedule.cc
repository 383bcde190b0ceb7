#include "row_schedule.h"

#include <algorithm>

#include "row_order.h"

namespace rolltape {

RowSchedule::RowSchedule(const Plan& plan, std::span<const std::uint64_t> weights, TokenPath::Holds holds)
    : plan_(plan), holds_(holds), order_(rowOrder(plan)) {
  starts_.reserve(order_.size());
  for (const std::uint32_t row : order_) {
    starts_.push_back(work_);
    work_ += weights[row] + 1;
  }
}

void RowSchedule::visit(std::uint64_t begin, std::uint64_t end,
                        const std::function<void(std::size_t row, const TokenPath& path)>& write) const {
  TokenPath path(plan_.longestRow(), holds_, plan_.filteredTurns());
  const auto first = std::ranges::lower_bound(starts_, begin) - starts_.begin();
  const auto last = std::ranges::lower_bound(starts_, end) - starts_.begin();
  visitRows(plan_, std::span(order_).subspan(first, last - first), path, [&](std::size_t row) { write(row, path); });
}

TokenPath::Holds heldFor(const Plan& plan) {
  return plan.options().style == RowStyle::kConcat ? TokenPath::Holds::kOutputs : TokenPath::Holds::kIds;
}

}  // namespace rolltape
