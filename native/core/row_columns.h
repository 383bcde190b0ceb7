#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "safetensors.h"

namespace rolltape {

/// Where a row column takes its values from. A row stands for its last turn unless the column says otherwise.
enum class RowSource {
  /// Tokens before the first output that the row trains on.
  kPromptTokens,
  /// The interaction's own reward; 0 if it has none.
  kOwnReward,
  kHasReward,
  /// Turns before the row's last one have own rewards that the row's reward does not count.
  kUncountedRewards,
  /// The row that holds the parent of the row's first turn; -1 if there is none in this batch.
  kParentRow,
  /// Edges to the root of the conversation.
  kTurn,
  /// Turns of the row.
  kTurns,
  kTokenExact,
  /// Whether the interaction is one of PlannedSession::leftOut.
  kLeftOut,
  /// One of Interaction::facts.
  kFact,
  /// Whether the turns of a row differ in one of Interaction::facts.
  kMixedFact,
  /// Code of one of Interaction::labels; see LabelCodes.
  kLabel,
  // Of turns only.
  /// Where the turn's output starts and ends in its row, padding not counted.
  kTurnStart,
  kTurnEnd,
  /// After discount.
  kReward,
};

/// A tensor with one value per row, per turn of the rows, or both.
struct RowColumn {
  /// Without the prefix `row_` or `turn_`.
  std::string name;
  Dtype dtype;
  RowSource source;
  /// Which fact or label.
  std::uint32_t slot = 0;
  /// The word for an interaction without that fact.
  std::uint32_t missing = 0;
  /// The value is that of the row's first turn.
  bool ofFirstTurn = false;
  /// Only a turn that is not token-exact has the label.
  bool ofBroken = false;
  bool perRow = true;
  bool perTurn = false;
  /// Labels that have the first codes in every batch.
  std::vector<std::string> knownLabels = {};
};

using RowColumns = std::vector<RowColumn>;

/// @throws kInvalidArg for two columns of one name, a dtype that is not that of the source, or a source that has no value
/// for a row or a turn of which the column wants one.
void requireRowColumns(const RowColumns& columns);

}  // namespace rolltape
