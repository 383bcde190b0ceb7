#include "pack_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "error.h"

namespace rolltape {

namespace {

std::uint32_t wordOf(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t wordOf(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

double orZero(double reward) {
  return std::isnan(reward) ? 0 : reward;
}

std::uint32_t factOf(const Interaction& at, const RowColumn& column) {
  return column.slot < at.factCount ? at.facts()[column.slot] : column.missing;
}

bool isMixed(const PlanRow& row, const RowColumn& column) {
  const Interaction* at = row.interaction;
  const std::uint32_t last = factOf(*at, column);
  while (at != row.firstTurn) {
    at = at->parent;
    if (factOf(*at, column) != last) return true;
  }
  return false;
}

/// Writes one value per entry, given as a 32-bit word.
template <typename Entry, typename Word>
void fill(const BatchBlock& block, const std::string& name, Dtype dtype, std::span<const Entry> entries, Word word) {
  if (dtype == Dtype::kBool) {
    auto* to = block.tensor<std::uint8_t>(name);
    for (std::size_t i = 0; i < entries.size(); ++i) to[i] = word(i) != 0 ? 1 : 0;
  } else {
    auto* to = block.tensor<std::uint32_t>(name);
    for (std::size_t i = 0; i < entries.size(); ++i) to[i] = word(i);
  }
}

/// Of the rows of one session, which are `rows[begin, end)`: for each row the row that holds its first turn's parent.
void appendParentRows(std::span<const PlanRow> rows, std::size_t begin, std::size_t end,
                      std::vector<std::int32_t>& parents) {
  constexpr std::int32_t none = -1;
  std::uint32_t last = 0;
  for (std::size_t i = begin; i < end; ++i) last = std::max(last, rows[i].interaction->index);
  // The first row that each interaction is a turn of. Rows that share a turn share all turns before it.
  std::vector<std::int32_t> rowOf(std::size_t{last} + 1, none);
  for (std::size_t i = begin; i < end; ++i) {
    const Interaction* at = rows[i].interaction;
    for (; rowOf[at->index] == none; at = at->parent) {
      rowOf[at->index] = static_cast<std::int32_t>(i);
      if (at == rows[i].firstTurn) break;
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Interaction* parent = rows[i].firstTurn->parent;
    parents.push_back(parent == nullptr ? none : rowOf[parent->index]);
  }
}

std::vector<std::int32_t> parentRows(std::span<const PlanRow> rows) {
  std::vector<std::int32_t> parents;
  parents.reserve(rows.size());
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].session == rows[begin].session) ++end;
    appendParentRows(rows, begin, end, parents);
    begin = end;
  }
  return parents;
}

/// Writes one column, its values of rows and of turns.
class ColumnTensors {
 public:
  ColumnTensors(const Plan& plan, const LabelCodes& codes, const BatchBlock& block)
      : plan_(plan), codes_(codes), block_(block) {}

  void writeRows(std::size_t index, const RowColumn& column) const {
    const std::span<const PlanRow> rows = plan_.rows();
    const auto write = [&](auto word) {
      fill(block_, "row_" + column.name, column.dtype, rows, [&](std::size_t i) { return word(rows[i]); });
    };
    const auto turn = [&](const PlanRow& row) -> const Interaction& { return columnTurn(row, column); };
    switch (column.source) {
      case RowSource::kPromptTokens:
        return write([](const PlanRow& row) { return std::min(row.firstTurn->inputLength, row.length); });
      case RowSource::kOwnReward:
        return write([](const PlanRow& row) { return wordOf(orZero(row.ownReward)); });
      case RowSource::kHasReward:
        return write([](const PlanRow& row) { return std::isnan(row.ownReward) ? 0u : 1u; });
      case RowSource::kUncountedRewards:
        return write([](const PlanRow& row) { return row.uncountedRewards ? 1u : 0u; });
      case RowSource::kLeftOut:
        return write([](const PlanRow& row) { return row.leftOut ? 1u : 0u; });
      case RowSource::kTurn:
        return write([&](const PlanRow& row) { return turn(row).depth; });
      case RowSource::kTurns:
        return write([](const PlanRow& row) { return row.interaction->depth - row.firstTurn->depth + 1; });
      case RowSource::kTokenExact:
        return write([&](const PlanRow& row) { return turn(row).tokenExact ? 1u : 0u; });
      case RowSource::kFact:
        return write([&](const PlanRow& row) { return factOf(turn(row), column); });
      case RowSource::kMixedFact:
        return write([&](const PlanRow& row) { return isMixed(row, column) ? 1u : 0u; });
      case RowSource::kLabel:
        return write([&](const PlanRow& row) { return wordOf(codes_.code(index, turn(row))); });
      case RowSource::kReward:
        return write([](const PlanRow& row) { return wordOf(row.reward); });
      case RowSource::kParentRow: {
        const std::vector<std::int32_t> parents = parentRows(rows);
        return fill(block_, "row_" + column.name, column.dtype, rows,
                    [&](std::size_t i) { return wordOf(parents[i]); });
      }
      case RowSource::kTurnStart:
      case RowSource::kTurnEnd:
        throw Error(ErrorCode::kInvalidArg, "columns: " + column.name + " has no value for a row");
    }
  }

  void writeTurns(std::size_t index, const RowColumn& column) const {
    const std::span<const PlanTurn> turns = plan_.turns();
    const auto write = [&](auto word) {
      fill(block_, "turn_" + column.name, column.dtype, turns, [&](std::size_t i) { return word(turns[i]); });
    };
    switch (column.source) {
      case RowSource::kOwnReward:
        return write([](const PlanTurn& turn) { return wordOf(orZero(turn.ownReward)); });
      case RowSource::kHasReward:
        return write([](const PlanTurn& turn) { return std::isnan(turn.ownReward) ? 0u : 1u; });
      case RowSource::kReward:
        return write([](const PlanTurn& turn) { return wordOf(turn.reward); });
      case RowSource::kTurn:
        return write([](const PlanTurn& turn) { return turn.interaction->depth; });
      case RowSource::kTokenExact:
        return write([](const PlanTurn& turn) { return turn.interaction->tokenExact ? 1u : 0u; });
      case RowSource::kFact:
        return write([&](const PlanTurn& turn) { return factOf(*turn.interaction, column); });
      case RowSource::kLabel:
        return write([&](const PlanTurn& turn) { return wordOf(codes_.code(index, *turn.interaction)); });
      case RowSource::kTurnStart:
        return writeBounds(column, [](const Interaction& at) { return at.inputLength; });
      case RowSource::kTurnEnd:
        return writeBounds(column, [](const Interaction& at) { return at.sequenceLength(); });
      default:
        throw Error(ErrorCode::kInvalidArg, "columns: " + column.name + " has no value for a turn");
    }
  }

 private:
  /// Positions within the row, which may have been truncated.
  template <typename Bound>
  void writeBounds(const RowColumn& column, Bound bound) const {
    auto* to = block_.tensor<std::int32_t>("turn_" + column.name);
    for (std::size_t row = 0; row < plan_.rows().size(); ++row) {
      for (std::uint32_t i = plan_.turnStarts()[row]; i < plan_.turnStarts()[row + 1]; ++i) {
        to[i] = static_cast<std::int32_t>(std::min(bound(*plan_.turns()[i].interaction), plan_.rows()[row].length));
      }
    }
  }

  const Plan& plan_;
  const LabelCodes& codes_;
  const BatchBlock& block_;
};

}  // namespace

void writeRowTensors(const Plan& plan, const LabelCodes& codes, const BatchBlock& block) {
  const ColumnTensors tensors(plan, codes, block);
  const bool hasTurns = plan.options().turns;
  for (std::size_t i = 0; i < plan.columns().size(); ++i) {
    const RowColumn& column = plan.columns()[i];
    if (column.perRow) tensors.writeRows(i, column);
    if (column.perTurn && hasTurns) tensors.writeTurns(i, column);
  }
  if (hasTurns) std::ranges::copy(plan.turnStarts(), block.tensor<std::uint32_t>("cu_turns"));
}

}  // namespace rolltape
