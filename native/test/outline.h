#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../core/batch/plan.h"

/// What a batch says of its rows beside their tokens, computed the slow and obvious way. Used by the tests and the fuzz
/// targets, so it depends on neither.

namespace rolltape::test {

/// An interaction without its tokens.
struct OutlineCall {
  std::int32_t parent = -1;
  /// It continues its parent token by token.
  bool exact = false;
  bool leftOut = false;
  bool startsRow = false;
  std::size_t inputLength = 0;
  std::size_t outputLength = 0;
  std::optional<double> reward;
  std::vector<std::uint32_t> facts;
  std::vector<std::string> labels;
  /// By output token: the engine wrote it. May be shorter than the output.
  std::vector<bool> forced = {};
};

/// A session without its tokens.
struct Outline {
  std::vector<OutlineCall> all;
  std::optional<double> sessionReward;

  /// All children; if `present`, only those that are not left out.
  std::vector<std::size_t> children(std::size_t index, bool present) const {
    std::vector<std::size_t> found;
    for (std::size_t child = index + 1; child < all.size(); ++child) {
      if (present && all[child].leftOut) continue;
      if (all[child].parent == static_cast<std::int32_t>(index)) found.push_back(child);
    }
    return found;
  }

  /// The descendant leaf that completed last, and the edges down to it.
  std::pair<std::size_t, int> lastLeaf(std::size_t index) const {
    std::pair<std::size_t, int> last{index, 0};
    for (const std::size_t child : children(index, true)) {
      const auto [leaf, edges] = lastLeaf(child);
      if (last.second == 0 || leaf > last.first) last = {leaf, edges + 1};
    }
    return last;
  }

  /// discount^h of an interaction that takes part, else 0.
  double share(std::size_t index, double discount) const {
    if (all[index].leftOut) return 0;
    double share = 1;
    for (int edges = lastLeaf(index).second; edges > 0; --edges) share *= discount;
    return share;
  }

  /// Own rewards discounted over the tree and the share of the session's reward.
  double finalReward(std::size_t index, double discount) const {
    double reward = ownRewards(index, discount);
    if (sessionReward) reward += *sessionReward * share(index, discount);
    return reward;
  }

  /// The turns of the row that ends with the interaction, from its first one on.
  std::vector<std::size_t> turns(std::size_t index, RowStyle style) const {
    std::vector<std::size_t> turns{index};
    while (style == RowStyle::kConcat && all[turns.front()].exact) {
      turns.insert(turns.begin(), static_cast<std::size_t>(all[turns.front()].parent));
    }
    return turns;
  }

  double rowReward(std::size_t index, const PlanOptions& options) const {
    const bool isReturn = options.style == RowStyle::kConcat && options.concatReward == ConcatReward::kReturn;
    if (!isReturn) return finalReward(index, options.discount);
    double sum = 0;
    double power = 1;
    for (const std::size_t turn : turns(index, options.style)) {
      if (turn != turns(index, options.style).front()) power *= options.discount;
      if (all[turn].reward) sum += power * *all[turn].reward;
    }
    if (sessionReward) sum += *sessionReward * power * share(index, options.discount);
    return sum;
  }

  bool isUncounted(std::size_t index, const PlanOptions& options) const {
    if (options.style != RowStyle::kConcat || options.concatReward != ConcatReward::kLeaf) return false;
    for (const std::size_t turn : turns(index, options.style)) {
      if (turn != index && all[turn].reward) return true;
    }
    return false;
  }

  bool isRow(std::size_t index, RowStyle style) const {
    if (all[index].leftOut) return false;
    if (style == RowStyle::kIndividual) return true;
    for (const std::size_t child : children(index, true)) {
      if (all[child].exact) return false;
    }
    return true;
  }

  /// Children that make a default `concat` export fail.
  std::vector<std::size_t> mismatches() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].leftOut && all[i].parent >= 0 && !all[i].exact && !all[i].startsRow) found.push_back(i);
    }
    return found;
  }

  std::vector<std::size_t> unrewardedRoots() const {
    std::vector<std::size_t> roots;
    for (std::size_t root = 0; root < all.size(); ++root) {
      if (all[root].parent < 0 && !all[root].leftOut && !sessionReward && !hasReward(root)) roots.push_back(root);
    }
    return roots;
  }

  std::uint32_t depth(std::size_t index) const {
    return all[index].parent < 0 ? 0 : 1 + depth(static_cast<std::size_t>(all[index].parent));
  }

 private:
  /// The newest child first: the order in which float64 sums are made, too.
  double ownRewards(std::size_t index, double discount) const {
    double reward = all[index].reward.value_or(0);
    const std::vector<std::size_t> below = children(index, false);
    for (std::size_t i = below.size(); i-- > 0;) reward += ownRewards(below[i], discount) * discount;
    return reward;
  }

  bool hasReward(std::size_t index) const {
    if (all[index].reward) return true;
    for (const std::size_t child : children(index, false)) {
      if (hasReward(child)) return true;
    }
    return false;
  }
};

/// A row of a batch by its last turn.
struct OutlineRow {
  std::size_t session;
  std::size_t interaction;
  /// After truncation.
  std::size_t length;
};

inline std::uint32_t wordOf(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// The values of the row and turn tensors of a batch with these rows, as 32-bit words by tensor, and its `row_codes`.
class OutlineColumns {
 public:
  OutlineColumns(const std::vector<Outline>& sessions, const std::vector<OutlineRow>& rows, const PlanOptions& options)
      : sessions_(sessions), rows_(rows), options_(options) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (const std::size_t turn : sessions[rows[row].session].turns(rows[row].interaction, options.style)) {
        if (options.turns) turns_.push_back({row, turn});
      }
    }
    if (options.turns) addTurnStarts();
    if (!options.columns) return;
    for (const RowColumn& column : *options.columns) add(column);
  }

  std::map<std::string, std::vector<std::uint32_t>> tensors;
  std::map<std::string, std::vector<std::string>> codes;

 private:
  /// One model call within a row.
  struct Turn {
    std::size_t row;
    std::size_t interaction;
  };

  const Outline& session(std::size_t row) const { return sessions_[rows_[row].session]; }

  void addTurnStarts() {
    std::vector<std::uint32_t>& starts = tensors["cu_turns"];
    for (std::size_t row = 0; row <= rows_.size(); ++row) {
      std::uint32_t before = 0;
      for (const Turn& turn : turns_) before += turn.row < row ? 1 : 0;
      starts.push_back(before);
    }
  }

  void add(const RowColumn& column) {
    if (column.source == RowSource::kLabel) codes[column.name] = column.knownLabels;
    if (column.perRow) {
      std::vector<std::uint32_t>& words = tensors["row_" + column.name];
      for (std::size_t row = 0; row < rows_.size(); ++row) words.push_back(rowWord(column, row));
    }
    if (!column.perTurn) return;
    if (options_.turns) tensors["turn_" + column.name];
    for (const Turn& turn : turns_) tensors["turn_" + column.name].push_back(turnWord(column, turn));
  }

  std::vector<std::size_t> turnsOf(std::size_t row) const {
    return session(row).turns(rows_[row].interaction, options_.style);
  }

  std::uint32_t rowWord(const RowColumn& column, std::size_t row) {
    const Outline& of = session(row);
    const std::size_t last = rows_[row].interaction;
    const std::size_t first = turnsOf(row).front();
    switch (column.source) {
      case RowSource::kPromptTokens:
        return static_cast<std::uint32_t>(std::min(of.all[first].inputLength, rows_[row].length));
      case RowSource::kUncountedRewards:
        return of.isUncounted(last, options_) ? 1 : 0;
      case RowSource::kParentRow:
        return static_cast<std::uint32_t>(parentRow(row));
      case RowSource::kTurns:
        return static_cast<std::uint32_t>(turnsOf(row).size());
      case RowSource::kForcedTokens:
        return countForced(row);
      case RowSource::kAnyFact:
        return std::ranges::any_of(turnsOf(row), [&](std::size_t turn) { return callWord(column, of, turn) != 0; });
      case RowSource::kLeftOut:
        return of.all[last].leftOut ? 1 : 0;
      case RowSource::kOwnReward:
      case RowSource::kHasReward:
        return callWord(column, of, last);
      case RowSource::kReward:
        return wordOf(of.rowReward(last, options_));
      default:
        return callWord(column, of, column.ofFirstTurn ? first : last);
    }
  }

  std::uint32_t countForced(std::size_t row) const {
    std::uint32_t forced = 0;
    for (const std::size_t turn : turnsOf(row)) {
      const OutlineCall& call = session(row).all[turn];
      for (std::size_t i = 0; i < call.forced.size(); ++i) {
        forced += call.forced[i] && call.inputLength + i < rows_[row].length ? 1 : 0;
      }
    }
    return forced;
  }

  std::uint32_t turnWord(const RowColumn& column, const Turn& turn) {
    const Outline& of = session(turn.row);
    const OutlineCall& call = of.all[turn.interaction];
    const std::size_t length = rows_[turn.row].length;
    switch (column.source) {
      case RowSource::kTurnStart:
        return static_cast<std::uint32_t>(std::min(call.inputLength, length));
      case RowSource::kTurnEnd:
        return static_cast<std::uint32_t>(std::min(call.inputLength + call.outputLength, length));
      case RowSource::kReward:
        return wordOf(of.finalReward(turn.interaction, options_.discount));
      default:
        return callWord(column, of, turn.interaction);
    }
  }

  /// Of columns that say the same of a row as of a turn.
  std::uint32_t callWord(const RowColumn& column, const Outline& of, std::size_t index) {
    const OutlineCall& call = of.all[index];
    switch (column.source) {
      case RowSource::kOwnReward:
        return wordOf(call.reward.value_or(0));
      case RowSource::kHasReward:
        return call.reward ? 1 : 0;
      case RowSource::kTurn:
        return of.depth(index);
      case RowSource::kTokenExact:
        return call.exact ? 1 : 0;
      case RowSource::kAnyFact:
      case RowSource::kFact: {
        const std::uint32_t word = column.slot < call.facts.size() ? call.facts[column.slot] : column.missing;
        return column.dtype == Dtype::kBool ? (word != 0 ? 1 : 0) : word;
      }
      case RowSource::kLabel:
        return static_cast<std::uint32_t>(codeOf(column, call));
      default:
        return 0xdeadbeef;
    }
  }

  /// Labels get their codes as they are met: the columns come in order, rows before turns.
  std::int32_t codeOf(const RowColumn& column, const OutlineCall& call) {
    const std::string label = column.slot < call.labels.size() ? call.labels[column.slot] : "";
    if (label.empty() || (column.ofBroken && call.exact)) return -1;
    std::vector<std::string>& known = codes[column.name];
    for (std::size_t code = 0; code < known.size(); ++code) {
      if (known[code] == label) return static_cast<std::int32_t>(code);
    }
    if (options_.labelLimit > 0 && known.size() >= options_.labelLimit) return -2;
    known.push_back(label);
    return static_cast<std::int32_t>(known.size() - 1);
  }

  std::int32_t parentRow(std::size_t row) const {
    const std::int32_t parent = session(row).all[turnsOf(row).front()].parent;
    for (std::size_t other = 0; other < rows_.size() && parent >= 0; ++other) {
      if (rows_[other].session != rows_[row].session) continue;
      for (const std::size_t turn : turnsOf(other)) {
        if (turn == static_cast<std::size_t>(parent)) return static_cast<std::int32_t>(other);
      }
    }
    return -1;
  }

  const std::vector<Outline>& sessions_;
  const std::vector<OutlineRow>& rows_;
  const PlanOptions& options_;
  std::vector<Turn> turns_;
};

/// The rows of a plan, as it lists them.
inline std::vector<OutlineRow> outlineRows(const Plan& plan) {
  std::vector<OutlineRow> rows;
  for (const PlanRow& row : plan.rows()) rows.push_back({row.session, row.interaction->index, row.length});
  return rows;
}

/// A column of every source, and some of each kind in another shape.
inline std::shared_ptr<const RowColumns> everyColumn() {
  using Source = RowSource;
  static const auto columns = std::make_shared<const RowColumns>(RowColumns{
      {.name = "prompt_tokens", .dtype = Dtype::kI32, .source = Source::kPromptTokens},
      {.name = "parent", .dtype = Dtype::kI32, .source = Source::kParentRow},
      {.name = "turn", .dtype = Dtype::kI32, .source = Source::kTurn, .perTurn = true},
      {.name = "first_turn", .dtype = Dtype::kI32, .source = Source::kTurn, .ofFirstTurn = true},
      {.name = "turns", .dtype = Dtype::kI32, .source = Source::kTurns},
      {.name = "forced", .dtype = Dtype::kI32, .source = Source::kForcedTokens},
      {.name = "start", .dtype = Dtype::kI32, .source = Source::kTurnStart, .perRow = false, .perTurn = true},
      {.name = "end", .dtype = Dtype::kI32, .source = Source::kTurnEnd, .perRow = false, .perTurn = true},
      {.name = "reward", .dtype = Dtype::kF32, .source = Source::kReward, .perTurn = true},
      {.name = "own_reward", .dtype = Dtype::kF32, .source = Source::kOwnReward, .perTurn = true},
      {.name = "label", .dtype = Dtype::kI32, .source = Source::kLabel, .perTurn = true, .knownLabels = {"k", "a"}},
      {.name = "cause",
       .dtype = Dtype::kI32,
       .source = Source::kLabel,
       .slot = 1,
       .ofFirstTurn = true,
       .ofBroken = true,
       .perTurn = true},
      {.name = "turn_label", .dtype = Dtype::kI32, .source = Source::kLabel, .perRow = false, .perTurn = true},
      {.name = "no_label", .dtype = Dtype::kI32, .source = Source::kLabel, .slot = 9},
      {.name = "number", .dtype = Dtype::kI32, .source = Source::kFact, .missing = 77, .perTurn = true},
      {.name = "real", .dtype = Dtype::kF32, .source = Source::kFact, .slot = 1, .missing = 0x3f800000},
      {.name = "has_reward", .dtype = Dtype::kBool, .source = Source::kHasReward, .perTurn = true},
      {.name = "uncounted", .dtype = Dtype::kBool, .source = Source::kUncountedRewards},
      {.name = "exact", .dtype = Dtype::kBool, .source = Source::kTokenExact, .ofFirstTurn = true, .perTurn = true},
      {.name = "left_out", .dtype = Dtype::kBool, .source = Source::kLeftOut},
      {.name = "flag", .dtype = Dtype::kBool, .source = Source::kFact, .slot = 2, .missing = 1, .perTurn = true},
      {.name = "any", .dtype = Dtype::kBool, .source = Source::kAnyFact, .slot = 2, .perTurn = true}});
  return columns;
}

}  // namespace rolltape::test
