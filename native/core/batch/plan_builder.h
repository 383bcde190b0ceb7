#pragma once

#include <cstddef>
#include <memory>

#include "plan.h"

namespace rolltape {

/// Makes a Plan session by session, so that an event loop can do other work in between. Each session is read when it is
/// added; what is recorded in it later does not change the plan.
class PlanBuilder {
 public:
  /// @param interactions how many interactions are expected, for one allocation instead of many
  /// @throws the errors of Plan's constructor about options
  explicit PlanBuilder(const PlanOptions& options, std::size_t interactions = 0);
  ~PlanBuilder();

  /// After an exception, the builder must not be used any more.
  /// @throws the errors of Plan's constructor about a session
  void add(const PlannedSession& planned);
  /// Adds a session whose rows are in other batches of the export. It counts among the planned sessions, and is listed
  /// as an episode.
  void addEpisode(const PlanEpisode& episode);
  /// Returns the plan of the sessions that were added. The builder is empty then and must not be used any more.
  /// @throws kTooLarge if a size overflows
  Plan finish();

 private:
  Plan plan_;
  std::unique_ptr<RowChoice> choice_;
};

}  // namespace rolltape
