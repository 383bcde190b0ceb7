#include "row_columns_arg.h"

#include <limits>
#include <utility>
#include <vector>

#include "args.h"
#include "choice_arg.h"

namespace rolltape::binding {

namespace {

RowSource sourceArg(Napi::Value value, const std::string& name) {
  return choiceArg<RowSource>(value, name,
                              {{"promptTokens", RowSource::kPromptTokens},
                               {"ownReward", RowSource::kOwnReward},
                               {"hasReward", RowSource::kHasReward},
                               {"uncountedRewards", RowSource::kUncountedRewards},
                               {"parentRow", RowSource::kParentRow},
                               {"compactedFromRow", RowSource::kCompactedFromRow},
                               {"turn", RowSource::kTurn},
                               {"turns", RowSource::kTurns},
                               {"tokenExact", RowSource::kTokenExact},
                               {"forcedTokens", RowSource::kForcedTokens},
                               {"episode", RowSource::kEpisode},
                               {"episodeReward", RowSource::kEpisodeReward},
                               {"episodeReturn", RowSource::kEpisodeReturn},
                               {"sessionRow", RowSource::kSessionRow},
                               {"sessionRows", RowSource::kSessionRows},
                               {"truncated", RowSource::kTruncated},
                               {"minVersion", RowSource::kMinVersion},
                               {"maxVersion", RowSource::kMaxVersion},
                               {"interaction", RowSource::kInteraction},
                               {"leftOut", RowSource::kLeftOut},
                               {"filtered", RowSource::kFiltered},
                               {"fact", RowSource::kFact},
                               {"mixedFact", RowSource::kMixedFact},
                               {"anyFact", RowSource::kAnyFact},
                               {"label", RowSource::kLabel},
                               {"turnStart", RowSource::kTurnStart},
                               {"turnEnd", RowSource::kTurnEnd},
                               {"turnWeight", RowSource::kTurnWeight},
                               {"reward", RowSource::kReward}});
}

RowColumn columnArg(Napi::Value value, const std::string& name) {
  const Napi::Object object = objectArg(value, name);
  RowColumn column;
  column.name = utf8Arg(object.Get("name"), name + ".name");
  column.dtype = choiceArg<Dtype>(object.Get("dtype"), name + ".dtype",
                                  {{"I32", Dtype::kI32}, {"F32", Dtype::kF32}, {"BOOL", Dtype::kBool}});
  column.source = sourceArg(object.Get("source"), name + ".source");
  column.slot = indexArg(object.Get("slot"), name + ".slot");
  column.missing = static_cast<std::uint32_t>(
      integerArg(object.Get("missing"), name + ".missing", 0, std::numeric_limits<std::uint32_t>::max()));
  column.ofFirstTurn = booleanArg(object.Get("ofFirstTurn"), name + ".ofFirstTurn");
  column.ofBroken = booleanArg(object.Get("ofBroken"), name + ".ofBroken");
  column.perRow = booleanArg(object.Get("perRow"), name + ".perRow");
  column.perTurn = booleanArg(object.Get("perTurn"), name + ".perTurn");
  column.knownLabels = utf8ListArg(object.Get("labels"), name + ".labels");
  return column;
}

}  // namespace

std::shared_ptr<const RowColumns> rowColumnsArg(Napi::Value value, const std::string& name) {
  RowColumns columns;
  const Napi::Array array = arrayArg(value, name);
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::HandleScope scope(value.Env());
    columns.push_back(columnArg(array.Get(i), name + "[" + std::to_string(i) + "]"));
  }
  return std::make_shared<const RowColumns>(std::move(columns));
}

}  // namespace rolltape::binding
