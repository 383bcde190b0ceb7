#include "label_codes.h"

#include "../json/text.h"

namespace rolltape {

LabelCodes::LabelCodes(const Plan& plan) {
  for (const RowColumn& column : plan.columns()) {
    tableOf_.push_back(tables_.size());
    if (column.source != RowSource::kLabel) continue;
    Table& table = tables_.emplace_back(Table{column.name, column.slot, column.ofBroken, column.knownLabels});
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
      table.byLabel.emplace(table.labels[i], static_cast<std::int32_t>(i));
    }
    const std::uint32_t limit = plan.options().labelLimit;
    if (column.perRow) {
      for (const PlanRow& row : plan.rows()) meet(table, plan.columnTurn(row, column), limit);
    }
    if (column.perTurn) {
      for (const PlanTurn& turn : plan.turns()) meet(table, *turn.interaction, limit);
    }
  }
}

void LabelCodes::meet(Table& table, const Interaction& interaction, std::uint32_t limit) {
  const LabelSet* set = interaction.labels;
  // Consecutive interactions are mostly of one session and share their labels.
  if (set == nullptr || set == table.lastMet || (table.ofBroken && interaction.tokenExact)) return;
  table.lastMet = set;
  if (table.bySet.contains(set)) return;
  const std::string& label = table.slot < set->size() ? (*set)[table.slot] : std::string();
  std::int32_t code = kNone;
  if (!label.empty()) {
    const auto known = table.byLabel.find(label);
    if (known != table.byLabel.end()) {
      code = known->second;
    } else if (limit > 0 && table.labels.size() >= limit) {
      code = kOverLimit;
    } else {
      code = static_cast<std::int32_t>(table.labels.size());
      table.labels.push_back(label);
      table.byLabel.emplace(label, code);
    }
  }
  table.bySet.emplace(set, code);
}

std::int32_t LabelCodes::code(std::size_t column, const Interaction& interaction) const {
  const Table& table = tables_[tableOf_[column]];
  if (interaction.labels == nullptr || (table.ofBroken && interaction.tokenExact)) return kNone;
  return table.bySet.at(interaction.labels);
}

std::string LabelCodes::json() const {
  std::string json = "{";
  for (const Table& table : tables_) {
    if (json.size() > 1) json += ',';
    appendJsonString(json, table.name);
    json += ":[";
    for (std::size_t i = 0; i < table.labels.size(); ++i) {
      if (i > 0) json += ',';
      appendJsonString(json, table.labels[i]);
    }
    json += ']';
  }
  return json + '}';
}

}  // namespace rolltape
