#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "../plan.h"
#include "token_path.h"

namespace rolltape {

/// The work of writing a plan's rows, in an order that makes their sequences cheap, to be shared among threads.
class RowSchedule {
 public:
  /// @param weights what writing each row costs.
  /// @param holds what the paths hold
  RowSchedule(const Plan& plan, std::span<const std::uint64_t> weights, TokenPath::Holds holds);

  /// The whole work. A row belongs to the part of it in which the row starts.
  std::uint64_t work() const { return work_; }

  /// Calls `write` for each row of the work in [begin, end); the path is at its interaction. @throws std::bad_alloc
  void visit(std::uint64_t begin, std::uint64_t end,
             const std::function<void(std::size_t row, const TokenPath& path)>& write) const;

 private:
  const Plan& plan_;
  TokenPath::Holds holds_;
  std::vector<std::uint32_t> order_;
  /// Of the rows in order_.
  std::vector<std::uint64_t> starts_;
  std::uint64_t work_ = 0;
};

/// Calls `write` for each of these rows; the path is at its interaction. Cheap if the rows are in the order of
/// rowOrder().
template <typename Write>
void visitRows(const Plan& plan, std::span<const std::uint32_t> rows, TokenPath& path, Write write) {
  for (const std::uint32_t row : rows) {
    path.moveTo(*plan.rows()[row].interaction);
    write(row);
  }
}

/// Returns the columns that a path needs for the plan's rows.
TokenPath::Holds heldFor(const Plan& plan);

}  // namespace rolltape
