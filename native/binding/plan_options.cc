#include "plan_options.h"

#include <limits>
#include <utility>

#include "args.h"
#include "choice_arg.h"
#include "row_columns_arg.h"

namespace rolltape::binding {

namespace {

std::uint32_t countArg(Napi::Value value, const std::string& name, std::int64_t lowest) {
  return static_cast<std::uint32_t>(integerArg(value, name, lowest, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

PlanOptions planOptionsArg(Napi::Value value) {
  const Napi::Object object = objectArg(value, "options");
  PlanOptions options;
  const Napi::Value layout = object.Get("layout");
  if (!layout.IsUndefined()) {
    options.layout = choiceArg<Layout>(
        layout, "options.layout", {{"padded", Layout::kPadded}, {"packed", Layout::kPacked}, {"tree", Layout::kTree}});
  }
  options.style = choiceArg<RowStyle>(object.Get("style"), "options.style",
                                      {{"individual", RowStyle::kIndividual}, {"concat", RowStyle::kConcat}});
  options.discount = numberArg(object.Get("discount"), "options.discount");
  options.onMismatch = choiceArg<OnMismatch>(object.Get("onMismatch"), "options.onMismatch",
                                             {{"error", OnMismatch::kError}, {"split", OnMismatch::kSplit}});
  options.padTokenId = int32Arg(object.Get("padTokenId"), "options.padTokenId");
  options.padSide = choiceArg<PadSide>(object.Get("padSide"), "options.padSide",
                                       {{"left", PadSide::kLeft}, {"right", PadSide::kRight}});
  options.padToMultipleOf = countArg(object.Get("padToMultipleOf"), "options.padToMultipleOf", 1);
  options.maxLength = countArg(object.Get("maxLength"), "options.maxLength", 0);
  options.overflow =
      choiceArg<Overflow>(object.Get("overflow"), "options.overflow",
                          {{"error", Overflow::kError}, {"truncate", Overflow::kTruncate}, {"drop", Overflow::kDrop}});
  const Napi::Value concatReward = object.Get("concatReward");
  if (!concatReward.IsUndefined()) {
    options.concatReward = choiceArg<ConcatReward>(concatReward, "options.concatReward",
                                                   {{"leaf", ConcatReward::kLeaf}, {"return", ConcatReward::kReturn}});
  }
  const Napi::Value sharedTurns = object.Get("sharedTurns");
  if (!sharedTurns.IsUndefined()) {
    options.sharedTurns = choiceArg<SharedTurns>(
        sharedTurns, "options.sharedTurns",
        {{"every", SharedTurns::kEvery}, {"first", SharedTurns::kFirst}, {"weight", SharedTurns::kWeight}});
  }
  const Napi::Value includeLeftOut = object.Get("includeLeftOut");
  if (!includeLeftOut.IsUndefined()) options.includeLeftOut = booleanArg(includeLeftOut, "options.includeLeftOut");
  const Napi::Value rewardedRootsOnly = object.Get("rewardedRootsOnly");
  if (!rewardedRootsOnly.IsUndefined()) {
    options.rewardedRootsOnly = booleanArg(rewardedRootsOnly, "options.rewardedRootsOnly");
  }
  const Napi::Value turns = object.Get("turns");
  if (!turns.IsUndefined()) options.turns = booleanArg(turns, "options.turns");
  const Napi::Value labelLimit = object.Get("labelLimit");
  if (!labelLimit.IsUndefined()) options.labelLimit = countArg(labelLimit, "options.labelLimit", 0);
  const Napi::Value columns = object.Get("columns");
  if (!columns.IsUndefined()) options.columns = rowColumnsArg(columns, "options.columns");
  return options;
}

}  // namespace rolltape::binding
