#pragma once

#include <unordered_set>

#include "../session/interaction.h"

namespace rolltape {

/// The interactions of all sessions of a plan that filters removed. In `concat` rows their tokens stay as context of
/// later turns, but their outputs are not trained on.
class FilteredTurns {
 public:
  void add(const Interaction& at) { all_.insert(&at); }
  bool contains(const Interaction& at) const { return all_.contains(&at); }

 private:
  std::unordered_set<const Interaction*> all_;
};

}  // namespace rolltape
