#pragma once

#include <unordered_set>

#include "../session/interaction.h"

namespace rolltape {

/// The interactions that filters removed, of all sessions of a plan. In `concat` rows their tokens stay as the context
/// of later turns, and their outputs are not trained on.
class FilteredTurns {
 public:
  void add(const Interaction& at) { all_.insert(&at); }
  bool contains(const Interaction& at) const { return all_.contains(&at); }

 private:
  std::unordered_set<const Interaction*> all_;
};

}  // namespace rolltape
