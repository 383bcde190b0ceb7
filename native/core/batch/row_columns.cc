#include "row_columns.h"

#include <algorithm>

#include "../base/error.h"

namespace rolltape {

namespace {

[[noreturn]] void refuse(const RowColumn& column, const char* why) {
  throw Error(ErrorCode::kInvalidArg, "columns: " + column.name + " " + why);
}

bool isOfTurnsOnly(RowSource source) {
  return source == RowSource::kTurnStart || source == RowSource::kTurnEnd || source == RowSource::kTurnWeight;
}

bool isOfRowsOnly(RowSource source) {
  switch (source) {
    case RowSource::kPromptTokens:
    case RowSource::kUncountedRewards:
    case RowSource::kParentRow:
    case RowSource::kCompactedFromRow:
    case RowSource::kTurns:
    case RowSource::kForcedTokens:
    case RowSource::kEpisode:
    case RowSource::kEpisodeReward:
    case RowSource::kEpisodeReturn:
    case RowSource::kSessionRow:
    case RowSource::kSessionRows:
    case RowSource::kTruncated:
    case RowSource::kLeftOut:
    case RowSource::kFiltered:
    case RowSource::kMixedFact:
      return true;
    default:
      return false;
  }
}

/// Returns true if values of the source have this dtype. Facts are words, which can have any.
bool fits(RowSource source, Dtype dtype) {
  switch (source) {
    case RowSource::kFact:
      return true;
    case RowSource::kOwnReward:
    case RowSource::kReward:
    case RowSource::kEpisodeReward:
    case RowSource::kEpisodeReturn:
    case RowSource::kTurnWeight:
      return dtype == Dtype::kF32;
    case RowSource::kHasReward:
    case RowSource::kUncountedRewards:
    case RowSource::kTokenExact:
    case RowSource::kTruncated:
    case RowSource::kLeftOut:
    case RowSource::kFiltered:
    case RowSource::kMixedFact:
    case RowSource::kAnyFact:
      return dtype == Dtype::kBool;
    default:
      return dtype == Dtype::kI32;
  }
}

}  // namespace

void requireRowColumns(const RowColumns& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (!fits(column->source, column->dtype)) refuse(*column, "does not have the dtype of its source");
    if (column->perRow && isOfTurnsOnly(column->source)) refuse(*column, "has no value for a row");
    if (column->perTurn && isOfRowsOnly(column->source)) refuse(*column, "has no value for a turn");
    if (std::find_if(columns.begin(), column, [&](const RowColumn& other) { return other.name == column->name; }) !=
        column) {
      refuse(*column, "is the name of two columns");
    }
  }
}

}  // namespace rolltape
