#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan.h"

namespace rolltape {

/// The codes of a batch's label columns. The known labels of a column come first, then the others in order of first
/// appearance, rows before turns.
class LabelCodes {
 public:
  /// The interaction has no such label.
  static constexpr std::int32_t kNone = -1;
  /// The column was at PlanOptions::labelLimit when the label first appeared.
  static constexpr std::int32_t kOverLimit = -2;

  LabelCodes() = default;
  explicit LabelCodes(const Plan& plan);

  /// Returns the interaction's code in a label column.
  /// @param column index into Plan::columns()
  std::int32_t code(std::size_t column, const Interaction& interaction) const;
  /// Returns a JSON object: for each label column, its labels in the order of their codes.
  std::string json() const;

 private:
  /// The codes of one label column.
  struct Table {
    std::string name;
    std::uint32_t slot;
    bool ofBroken;
    std::vector<std::string> labels;
    std::unordered_map<std::string, std::int32_t> byLabel = {};
    /// Codes by label set. The interactions of a session share few sets, so this saves hashing the label of each.
    std::unordered_map<const LabelSet*, std::int32_t> bySet = {};
    const LabelSet* lastMet = nullptr;
  };

  void meet(Table& table, const Interaction& interaction, std::uint32_t limit);

  std::vector<Table> tables_;
  /// By column of the plan: the index of its table. Without meaning for columns that are not label columns.
  std::vector<std::size_t> tableOf_;
};

}  // namespace rolltape
