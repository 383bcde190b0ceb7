#pragma once

#include <cstdint>
#include <vector>

#include "../core/batch/safetensors.h"
#include "held_bytes.h"

namespace rolltape::binding {

/// The metadata of a batch. A value may be a list of Uint8Arrays with UTF-8, which are joined off the event loop: a
/// value of megabytes would stall it. Create and destroy it on the event loop.
class MetadataArg {
 public:
  /// @throws Error kInvalidArg that names the argument
  MetadataArg(Napi::Value value, const std::string& name);

  /// Joins the lists and returns all values. Call it once, on any thread.
  Metadata take();
  /// @throws Error kInvalidArg if a buffer of a list was transferred since
  void requireUntouched() const;

 private:
  struct Pieces {
    /// Index into metadata_.
    std::size_t at;
    std::vector<HeldBytes> parts;
  };

  Metadata metadata_;
  std::vector<Pieces> lists_;
};

}  // namespace rolltape::binding
