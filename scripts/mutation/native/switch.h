#pragma once

/// Included by the build into every C++ file with mutants: `scripts/mutation/native/measure.ts`.

#include <array>
#include <cstdio>
#include <cstdlib>

namespace rolltape {

/// The mutant that the environment switches on, and the mutants that were reached, which are added to a file at exit:
/// tests start processes of their own.
class MutantSwitch {
 public:
  static MutantSwitch& instance() {
    static MutantSwitch made;
    return made;
  }

  bool isOn(int id) {
    reached_[static_cast<std::size_t>(id) % reached_.size()] = true;
    return id == on_;
  }

 private:
  MutantSwitch() : on_(readId()) {}
  ~MutantSwitch() {
    const char* path = std::getenv("ROLLTAPE_REACHED");
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
    if (file == nullptr) return;
    for (std::size_t id = 0; id < reached_.size(); ++id) {
      if (reached_[id]) std::fprintf(file, "%zu\n", id);
    }
    std::fclose(file);
  }

  static int readId() {
    const char* id = std::getenv("ROLLTAPE_MUTANT");
    return id == nullptr ? -1 : std::atoi(id);
  }

  const int on_;
  std::array<bool, 1 << 14> reached_{};
};

/// What the compiler evaluates has no mutants. Not std::is_constant_evaluated: the build tries the compiler without C++20.
constexpr bool mutantIsOn(int id) {
  return !__builtin_is_constant_evaluated() && MutantSwitch::instance().isOn(id);
}

}  // namespace rolltape
