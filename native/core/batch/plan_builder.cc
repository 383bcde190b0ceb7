#include "plan_builder.h"

#include <utility>

#include "row_choice.h"

namespace rolltape {

PlanBuilder::PlanBuilder(const PlanOptions& options, std::size_t interactions)
    : choice_(std::make_unique<RowChoice>()) {
  plan_.begin(options, interactions);
}

PlanBuilder::~PlanBuilder() = default;

void PlanBuilder::add(const PlannedSession& planned) {
  plan_.addSession(planned, *choice_);
}

void PlanBuilder::addEpisode(const PlanEpisode& episode) {
  // Keeps the indices of both lists equal.
  plan_.storages_.push_back(nullptr);
  plan_.episodes_.push_back(episode);
}

Plan PlanBuilder::finish() {
  plan_.listAllSessions();
  plan_.measure();
  return std::move(plan_);
}

}  // namespace rolltape
