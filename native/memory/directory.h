#pragma once

#include <dirent.h>

#include <memory>
#include <string_view>

namespace rolltape {

/// Calls `visit` with the name of everything in a directory; with nothing where it cannot be read. Not the standard
/// library's iterator, which ends the process where memory runs out.
template <typename Visit>
void forEachName(const char* directory, Visit visit) {
  struct Close {
    void operator()(DIR* open) const { closedir(open); }
  };
  const std::unique_ptr<DIR, Close> open(opendir(directory));
  if (!open) return;
  while (const dirent* entry = readdir(open.get())) visit(std::string_view(entry->d_name));
}

}  // namespace rolltape
