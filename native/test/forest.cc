#include "forest.h"

namespace rolltape::test {

Forest randomForest(Random& random) {
  Forest forest;
  for (std::uint32_t i = random.below(4); i > 0; --i) {
    forest.push_back(std::make_unique<ModelledSession>());
    for (std::uint32_t step = random.below(40); step > 0; --step) forest.back()->grow(random);
  }
  return forest;
}

std::vector<const Session*> sessionsOf(const Forest& forest) {
  std::vector<const Session*> sessions;
  for (const auto& one : forest) sessions.push_back(&one->session);
  return sessions;
}

std::vector<PlannedSession> plannedOf(const Forest& forest) {
  std::vector<PlannedSession> planned;
  for (const auto& one : forest) planned.push_back(one->planned());
  return planned;
}

std::vector<Outline> outlinesOf(const Forest& forest) {
  std::vector<Outline> outlines;
  for (const auto& one : forest) outlines.push_back(one->model.outline());
  return outlines;
}

namespace {

void cut(ModelRow& row, std::size_t length) {
  row.ids.resize(length);
  row.lossMask.resize(length);
  row.logprobs.resize(length);
  row.versions.resize(length);
  row.wide.resize(length);
  row.kept.resize(length);
  row.experts.resize(length);
}

}  // namespace

std::vector<ForestRow> modelRows(const Forest& forest, const PlanOptions& options) {
  const std::size_t limit = options.maxLength;
  std::vector<ForestRow> rows;
  for (std::size_t session = 0; session < forest.size(); ++session) {
    const Model& model = forest[session]->model;
    const Outline outline = model.outline();
    for (std::size_t i = 0; i < model.all.size(); ++i) {
      if (options.layout != Layout::kTree && !outline.isRow(i, options.style)) continue;
      ModelRow row = modelRow(model, i, options.style);
      if (limit > 0 && row.ids.size() > limit) {
        if (options.overflow == Overflow::kDrop) continue;
        cut(row, limit);
      }
      rows.push_back({session, row, static_cast<float>(outline.rowReward(i, options))});
    }
  }
  return rows;
}

PlanOptions randomOptions(Random& random) {
  PlanOptions options;
  options.style = random.chance(0.5) ? RowStyle::kConcat : RowStyle::kIndividual;
  options.onMismatch = OnMismatch::kSplit;
  options.discount = random.below(5) / 4.0;
  options.padTokenId = static_cast<std::int32_t>(random.below(100));
  options.padSide = random.chance(0.5) ? PadSide::kLeft : PadSide::kRight;
  options.padToMultipleOf = 1 + random.below(9);
  options.maxLength = random.chance(0.5) ? 1 + random.below(20) : 0;
  options.overflow = random.chance(0.5) ? Overflow::kTruncate : Overflow::kDrop;
  options.concatReward = random.chance(0.5) ? ConcatReward::kReturn : ConcatReward::kLeaf;
  options.turns = random.chance(0.5);
  options.labelLimit = random.chance(0.5) ? 1 + random.below(5) : 0;
  if (random.chance(0.5)) options.columns = everyColumn();
  return options;
}

}  // namespace rolltape::test
