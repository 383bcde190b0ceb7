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
  /// Index of the first row that holds the parent of the row's first turn; -1 if no row of the batch does.
  kParentRow,
  /// For a row that begins with the root of a compacted conversation: index of the first row that holds the interaction
  /// that the conversation was compacted from. -1 for other rows, or if no row of the batch holds it.
  kCompactedFromRow,
  /// Number of edges to the root of the conversation tree.
  kTurn,
  /// Number of turns of the row.
  kTurns,
  kTokenExact,
  /// Outputs of the row's turns that the engine wrote; see Interaction::forced.
  kForcedTokens,
  /// Index of the row's session in Plan::listedSessions().
  kEpisode,
  /// PlanEpisode::reward and discountedReturn of the row's session.
  kEpisodeReward,
  kEpisodeReturn,
  /// PlanRow::sessionRow, and the number of rows of the session in the export.
  kSessionRow,
  kSessionRows,
  /// The row is cut, or the label of the turn is one of `knownLabels`.
  kTruncated,
  /// Lowest and highest weight version of the sampled tokens of the row or turn; -1 if there are none.
  kMinVersion,
  kMaxVersion,
  /// Index of the interaction in its session.
  kInteraction,
  /// The interaction is one of PlannedSession::leftOut.
  kLeftOut,
  /// A filter removed the interaction; see PlannedSession::filtered.
  kFiltered,
  /// One of Interaction::facts.
  kFact,
  /// The turns of the row differ in one of Interaction::facts.
  kMixedFact,
  /// One of Interaction::facts is not 0: of the turn, or of any turn of the row.
  kAnyFact,
  /// Code of one of Interaction::labels; see LabelCodes.
  kLabel,
  /// Of turns only: index in the row of the turn's first output token, and the one after its last, padding not counted.
  kTurnStart,
  kTurnEnd,
  /// Of turns only: PlanTurn::weight.
  kTurnWeight,
  /// Final reward, after discount.
  kReward,
};

/// A tensor with one value per row, per turn of the rows, or both.
struct RowColumn {
  /// Without the prefix `row_` or `turn_`.
  std::string name;
  Dtype dtype;
  RowSource source;
  /// Position of the fact or label among those of an interaction.
  std::uint32_t slot = 0;
  /// The word for an interaction that was recorded without the fact.
  std::uint32_t missing = 0;
  /// A row has the value of its first turn, not of its last.
  bool ofFirstTurn = false;
  /// Token-exact turns have no label (LabelCodes::kNone).
  bool ofBroken = false;
  bool perRow = true;
  bool perTurn = false;
  /// Labels with the codes from 0 in every batch.
  std::vector<std::string> knownLabels = {};
};

using RowColumns = std::vector<RowColumn>;

/// @throws kInvalidArg if two columns have one name, if a dtype does not fit the source, or if a column is per row or
/// per turn and its source has no such values.
void requireRowColumns(const RowColumns& columns);

}  // namespace rolltape
