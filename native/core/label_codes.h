#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan.h"

namespace rolltape {

/// The codes of a batch's label columns: a column's known labels first, then the others in order of first appearance,
/// rows before turns.
class LabelCodes {
 public:
  static constexpr std::int32_t kNone = -1;
  /// The batch has more distinct labels than it may have.
  static constexpr std::int32_t kOverLimit = -2;

  LabelCodes() = default;
  explicit LabelCodes(const Plan& plan);

  /// The code in one of the plan's label columns.
  std::int32_t code(std::size_t column, const Interaction& interaction) const;
  /// JSON: for each label column its labels in the order of their codes.
  std::string json() const;

 private:
  /// Of one label column.
  struct Table {
    std::string name;
    std::uint32_t slot;
    bool ofBroken;
    std::vector<std::string> labels;
    std::unordered_map<std::string, std::int32_t> byLabel = {};
    /// Sets that were met in this column: a session's interactions share few of them.
    std::unordered_map<const LabelSet*, std::int32_t> bySet = {};
    const LabelSet* lastMet = nullptr;
  };

  void meet(Table& table, const Interaction& interaction, std::uint32_t limit);

  std::vector<Table> tables_;
  /// Of each column of the plan, the index of its table.
  std::vector<std::size_t> tableOf_;
};

}  // namespace rolltape
