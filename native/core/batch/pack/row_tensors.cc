#include "row_tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../base/error.h"
#include "../../base/parallel.h"

namespace rolltape {

namespace {

std::uint32_t wordOf(std::int32_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t wordOf(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// Returns the nearest finite float32: a sum of rewards that fit one may not.
float toFloat(double reward) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(reward, -most, most));
}

float orZero(float reward) {
  return std::isnan(reward) ? 0 : reward;
}

std::uint32_t factOf(const Interaction& at, const RowColumn& column) {
  return column.slot < at.factCount ? at.facts()[column.slot] : column.missing;
}

/// Returns true if the fact of a turn of the row is not `usual`.
bool hasOther(const Plan& plan, const PlanRow& row, const RowColumn& column, std::uint32_t usual) {
  for (const Interaction* at = row.interaction;; at = at->parent) {
    if ((at == row.interaction || !plan.isFiltered(*at)) && factOf(*at, column) != usual) return true;
    if (at == row.first) return false;
  }
}

bool isMixed(const Plan& plan, const PlanRow& row, const RowColumn& column) {
  return hasOther(plan, row, column, factOf(*row.interaction, column));
}

std::uint32_t countTurns(const Plan& plan, const PlanRow& row) {
  if (plan.filteredTurns() == nullptr) return row.interaction->depth - row.first->depth + 1;
  std::uint32_t turns = 1;
  for (const Interaction* at = row.interaction; at != row.first;) {
    at = at->parent;
    if (!plan.isFiltered(*at)) ++turns;
  }
  return turns;
}

/// Counts the forced outputs of the turns that the row trains on.
std::uint32_t countForcedTokens(const Plan& plan, const PlanRow& row) {
  std::uint32_t forced = 0;
  for (const Interaction* at = row.interaction;; at = at->parent) {
    const std::uint32_t outputs = std::max(row.length, at->inputLength) - at->inputLength;
    if (at == row.interaction || !plan.isFiltered(*at)) forced += countForced(at->forced(), outputs);
    if (at == row.first) return forced;
  }
}

/// The lowest and the highest weight version; -1 without any.
struct VersionRange {
  std::int32_t lowest = kNoVersion;
  std::int32_t highest = kNoVersion;

  void add(std::int32_t version) {
    lowest = lowest == kNoVersion ? version : std::min(lowest, version);
    highest = std::max(highest, version);
  }
  /// Adds those of the sampled outputs of an interaction, in a row of so many tokens.
  void add(const Interaction& at, std::uint32_t length) {
    const std::uint32_t outputs = std::min(std::max(length, at.inputLength) - at.inputLength, at.outputLength);
    visitForced(at.forced(), 0, outputs, [&](bool isForced, std::uint32_t from, std::uint32_t count) {
      if (isForced) return;
      visitVersions(at.versions(), from, count, [&](std::int32_t version, std::uint32_t) { add(version); });
    });
  }
};

VersionRange versionsOf(const Plan& plan, const PlanRow& row) {
  VersionRange range;
  if (row.filtered || (row.leftOut && !plan.options().includeLeftOut)) return range;
  for (const Interaction* at = row.interaction;; at = at->parent) {
    if (at == row.interaction || !plan.isFiltered(*at)) range.add(*at, row.length);
    if (at == row.first) return range;
  }
}

VersionRange versionsOf(const Interaction& turn, const PlanRow& row) {
  VersionRange range;
  range.add(turn, row.length);
  return range;
}

bool isTruncated(const PlanRow& row, const Interaction& turn, const RowColumn& column) {
  if (row.length < row.interaction->sequenceLength()) return true;
  const LabelSet* labels = turn.labels;
  return labels != nullptr && column.slot < labels->size() &&
         std::ranges::find(column.knownLabels, (*labels)[column.slot]) != column.knownLabels.end();
}

/// Rows or turns [begin, end).
struct Range {
  std::size_t begin;
  std::size_t end;
};

/// Writes word(i) for each index of the range. A tensor of dtype BOOL gets a byte, 0 or 1.
template <typename Word>
void fill(const BatchBlock& block, const std::string& name, Dtype dtype, Range range, Word word) {
  if (dtype == Dtype::kBool) {
    auto* to = block.tensor<std::uint8_t>(name);
    for (std::size_t i = range.begin; i < range.end; ++i) to[i] = word(i) != 0 ? 1 : 0;
  } else {
    auto* to = block.tensor<std::uint32_t>(name);
    for (std::size_t i = range.begin; i < range.end; ++i) to[i] = word(i);
  }
}

constexpr std::int32_t kNoRow = -1;

/// By row: indices of the first rows that hold linked interactions, or kNoRow.
struct LinkedRows {
  /// The parent of the row's first turn.
  std::vector<std::int32_t> parents;
  /// The interaction that the row's conversation was compacted from.
  std::vector<std::int32_t> compactedFrom;
};

/// Appends the links of the rows [begin, end), which must be all rows of one session.
void appendLinkedRows(const Plan& plan, std::size_t begin, std::size_t end, LinkedRows& linked) {
  const std::span<const PlanRow> rows = plan.rows();
  std::uint32_t last = 0;
  for (std::size_t i = begin; i < end; ++i) last = std::max(last, rows[i].interaction->index);
  // By interaction: the first row that has it as a turn. Rows that share a turn share all turns before it, so a walk
  // ends at the first turn that has a row.
  std::vector<std::int32_t> rowOf(std::size_t{last} + 1, kNoRow);
  for (std::size_t i = begin; i < end; ++i) {
    const Interaction* at = rows[i].interaction;
    for (; rowOf[at->index] == kNoRow; at = at->parent) {
      if (!plan.isFiltered(*at)) rowOf[at->index] = static_cast<std::int32_t>(i);
      if (at == rows[i].first) break;
    }
  }
  for (std::size_t i = begin; i < end; ++i) {
    const Interaction* parent = rows[i].first->parent;
    const std::int32_t compactedFrom = plan.rowStart(rows[i]).compactedFrom;
    linked.parents.push_back(parent == nullptr ? kNoRow : rowOf[parent->index]);
    linked.compactedFrom.push_back(compactedFrom < 0 ? kNoRow : rowOf[static_cast<std::size_t>(compactedFrom)]);
  }
}

LinkedRows linkedRows(const Plan& plan) {
  const std::span<const PlanRow> rows = plan.rows();
  LinkedRows linked;
  linked.parents.reserve(rows.size());
  linked.compactedFrom.reserve(rows.size());
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].session == rows[begin].session) ++end;
    appendLinkedRows(plan, begin, end, linked);
    begin = end;
  }
  return linked;
}

/// Returns true if a column needs linkedRows(), which walks through all rows.
bool hasLinks(const Plan& plan) {
  return std::ranges::any_of(plan.columns(), [](const RowColumn& column) {
    return column.perRow && (column.source == RowSource::kParentRow || column.source == RowSource::kCompactedFromRow);
  });
}

/// Writes ranges of row and turn columns. Threads may write different ranges at the same time.
class ColumnTensors {
 public:
  ColumnTensors(const Plan& plan, const LabelCodes& codes, const BatchBlock& block)
      : plan_(plan), codes_(codes), block_(block), linked_(hasLinks(plan) ? linkedRows(plan) : LinkedRows()) {
    episodeIndex_.resize(plan.episodes().size());
    std::uint32_t index = 0;
    for (const std::uint32_t session : plan.listedSessions()) episodeIndex_[session] = index++;
  }

  void writeRows(std::size_t index, const RowColumn& column, Range range) const {
    const std::span<const PlanRow> rows = plan_.rows();
    const auto write = [&](auto word) {
      fill(block_, "row_" + column.name, column.dtype, range, [&](std::size_t i) { return word(rows[i]); });
    };
    const auto turn = [&](const PlanRow& row) -> const Interaction& { return plan_.columnTurn(row, column); };
    switch (column.source) {
      case RowSource::kPromptTokens:
        return write([](const PlanRow& row) { return std::min(row.first->inputLength, row.length); });
      case RowSource::kOwnReward:
        return write([](const PlanRow& row) { return wordOf(orZero(row.ownReward)); });
      case RowSource::kHasReward:
        return write([](const PlanRow& row) { return std::isnan(row.ownReward) ? 0u : 1u; });
      case RowSource::kUncountedRewards:
        return write([](const PlanRow& row) { return row.uncountedRewards ? 1u : 0u; });
      case RowSource::kLeftOut:
        return write([](const PlanRow& row) { return row.leftOut ? 1u : 0u; });
      case RowSource::kFiltered:
        return write([](const PlanRow& row) { return row.filtered ? 1u : 0u; });
      case RowSource::kTurn:
        return write([&](const PlanRow& row) { return turn(row).depth; });
      case RowSource::kTurns:
        return write([&](const PlanRow& row) { return countTurns(plan_, row); });
      case RowSource::kForcedTokens:
        return write([&](const PlanRow& row) { return countForcedTokens(plan_, row); });
      case RowSource::kEpisode:
        return write([&](const PlanRow& row) { return episodeIndex_[row.session]; });
      case RowSource::kEpisodeReward:
        return write([&](const PlanRow& row) { return wordOf(toFloat(episode(row).reward)); });
      case RowSource::kEpisodeReturn:
        return write([&](const PlanRow& row) { return wordOf(toFloat(episode(row).discountedReturn)); });
      case RowSource::kSessionRow:
        return write([](const PlanRow& row) { return row.sessionRow; });
      case RowSource::kSessionRows:
        return write([&](const PlanRow& row) { return episode(row).rows; });
      case RowSource::kTruncated:
        return write([&](const PlanRow& row) { return isTruncated(row, turn(row), column) ? 1u : 0u; });
      case RowSource::kMinVersion:
        return write([&](const PlanRow& row) { return wordOf(versionsOf(plan_, row).lowest); });
      case RowSource::kMaxVersion:
        return write([&](const PlanRow& row) { return wordOf(versionsOf(plan_, row).highest); });
      case RowSource::kInteraction:
        return write([&](const PlanRow& row) { return turn(row).index; });
      case RowSource::kTokenExact:
        return write([&](const PlanRow& row) { return turn(row).tokenExact ? 1u : 0u; });
      case RowSource::kFact:
        return write([&](const PlanRow& row) { return factOf(turn(row), column); });
      case RowSource::kMixedFact:
        return write([&](const PlanRow& row) { return isMixed(plan_, row, column) ? 1u : 0u; });
      case RowSource::kAnyFact:
        return write([&](const PlanRow& row) { return hasOther(plan_, row, column, 0) ? 1u : 0u; });
      case RowSource::kLabel:
        return write([&](const PlanRow& row) { return wordOf(codes_.code(index, turn(row))); });
      case RowSource::kReward:
        return write([](const PlanRow& row) { return wordOf(static_cast<float>(row.reward)); });
      case RowSource::kParentRow:
        return fill(block_, "row_" + column.name, column.dtype, range,
                    [&](std::size_t i) { return wordOf(linked_.parents[i]); });
      case RowSource::kCompactedFromRow:
        return fill(block_, "row_" + column.name, column.dtype, range,
                    [&](std::size_t i) { return wordOf(linked_.compactedFrom[i]); });
      case RowSource::kTurnStart:
      case RowSource::kTurnEnd:
      case RowSource::kTurnWeight:
        throw Error(ErrorCode::kInvalidArg, "columns: " + column.name + " has no value for a row");
    }
  }

  void writeTurns(std::size_t index, const RowColumn& column, Range range) const {
    const std::span<const PlanTurn> turns = plan_.turns();
    const auto write = [&](auto word) {
      fill(block_, "turn_" + column.name, column.dtype, range, [&](std::size_t i) { return word(turns[i]); });
    };
    switch (column.source) {
      case RowSource::kOwnReward:
        return write([](const PlanTurn& turn) { return wordOf(orZero(turn.ownReward)); });
      case RowSource::kHasReward:
        return write([](const PlanTurn& turn) { return std::isnan(turn.ownReward) ? 0u : 1u; });
      case RowSource::kReward:
        return write([](const PlanTurn& turn) { return wordOf(turn.reward); });
      case RowSource::kTurnWeight:
        return write([](const PlanTurn& turn) { return wordOf(turn.weight); });
      case RowSource::kInteraction:
        return write([](const PlanTurn& turn) { return turn.interaction->index; });
      case RowSource::kTurn:
        return write([](const PlanTurn& turn) { return turn.interaction->depth; });
      case RowSource::kTokenExact:
        return write([](const PlanTurn& turn) { return turn.interaction->tokenExact ? 1u : 0u; });
      case RowSource::kFact:
      case RowSource::kAnyFact:
        return write([&](const PlanTurn& turn) { return factOf(*turn.interaction, column); });
      case RowSource::kLabel:
        return write([&](const PlanTurn& turn) { return wordOf(codes_.code(index, *turn.interaction)); });
      default:
        throw Error(ErrorCode::kInvalidArg, "columns: " + column.name + " has no value for a turn");
    }
  }

  /// Writes a column of turns whose values depend on where their row ends, for the turns of `rows`.
  void writeTurnsInRows(const RowColumn& column, Range rows) const {
    auto* to = block_.tensor<std::uint32_t>("turn_" + column.name);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      for (std::uint32_t i = plan_.turnStarts()[row]; i < plan_.turnStarts()[row + 1]; ++i) {
        to[i] = inRow(column, *plan_.turns()[i].interaction, plan_.rows()[row]);
      }
    }
  }

 private:
  /// Bounds behind the end of a truncated row become its length.
  static std::uint32_t inRow(const RowColumn& column, const Interaction& turn, const PlanRow& row) {
    switch (column.source) {
      case RowSource::kTurnStart:
        return std::min(turn.inputLength, row.length);
      case RowSource::kTurnEnd:
        return std::min(turn.sequenceLength(), row.length);
      case RowSource::kMinVersion:
        return wordOf(versionsOf(turn, row).lowest);
      default:
        return wordOf(versionsOf(turn, row).highest);
    }
  }

  const PlanEpisode& episode(const PlanRow& row) const { return plan_.episodes()[row.session]; }

  const Plan& plan_;
  const LabelCodes& codes_;
  const BatchBlock& block_;
  LinkedRows linked_;
  /// By session; only those of listed sessions are meaningful, and every row is of one.
  std::vector<std::uint32_t> episodeIndex_;
};

/// Returns true if the values of turns depend on the length of their row.
bool dependsOnRow(const RowColumn& column) {
  return column.source == RowSource::kTurnStart || column.source == RowSource::kTurnEnd ||
         column.source == RowSource::kMinVersion || column.source == RowSource::kMaxVersion;
}

/// Writes all columns for a range of rows and for their turns.
void writeColumns(const Plan& plan, const ColumnTensors& tensors, Range rows) {
  const bool hasTurns = plan.options().turns;
  const Range turns = hasTurns ? Range{plan.turnStarts()[rows.begin], plan.turnStarts()[rows.end]} : Range{0, 0};
  for (std::size_t i = 0; i < plan.columns().size(); ++i) {
    const RowColumn& column = plan.columns()[i];
    if (column.perRow) tensors.writeRows(i, column, rows);
    if (!column.perTurn || !hasTurns) continue;
    if (dependsOnRow(column)) {
      tensors.writeTurnsInRows(column, rows);
    } else {
      tensors.writeTurns(i, column, turns);
    }
  }
}

/// Numbers the groups of episodes from 0 in their order. A session without a group has a number of its own.
class GroupNumbers {
 public:
  std::uint32_t next(std::uint32_t group) {
    if (group == PlannedSession::kNoGroup) return count_++;
    const auto [found, isNew] = numbers_.emplace(group, count_);
    if (isNew) ++count_;
    return found->second;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
};

void writeEpisodes(const Plan& plan, const BatchBlock& block) {
  auto* group = block.tensor<std::uint32_t>("episode_group");
  auto* rows = block.tensor<std::uint32_t>("episode_rows");
  auto* reward = block.tensor<float>("episode_reward");
  auto* discounted = block.tensor<float>("episode_return");
  auto* hasReward = block.tensor<std::uint8_t>("episode_has_reward");
  GroupNumbers numbers;
  for (const std::uint32_t session : plan.listedSessions()) {
    const PlanEpisode& episode = plan.episodes()[session];
    *group++ = numbers.next(episode.group);
    *rows++ = episode.rows;
    *reward++ = toFloat(episode.reward);
    *discounted++ = toFloat(episode.discountedReturn);
    *hasReward++ = episode.hasReward ? 1 : 0;
  }
}

}  // namespace

void writeRewards(const Plan& plan, const BatchBlock& block) {
  std::ranges::transform(plan.rows(), block.tensor<float>("rewards"),
                         [](const PlanRow& row) { return static_cast<float>(row.reward); });
}

void writeRowTensors(const Plan& plan, const LabelCodes& codes, const BatchBlock& block, unsigned threads) {
  // Few enough rows that their interactions stay in the processor's cache from one column to the next.
  constexpr std::size_t part = 1024;
  if (plan.options().turns) std::ranges::copy(plan.turnStarts(), block.tensor<std::uint32_t>("cu_turns"));
  if (plan.columns().empty()) return;
  writeEpisodes(plan, block);
  const ColumnTensors tensors(plan, codes, block);
  parallelRanges(plan.rows().size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t from = begin; from < end; from += part) {
      writeColumns(plan, tensors, {from, std::min(from + part, end)});
    }
  });
}

}  // namespace rolltape
