#pragma once

#include <string>
#include <vector>

#include "../core/batch/batch.h"
#include "held_bytes.h"

namespace rolltape::binding {

/// Tensors whose bytes a worker thread copies into a batch. Create and destroy it on the event loop.
class TensorsArg {
 public:
  /// Reads an optional list. @throws Error kInvalidArg that names the argument
  TensorsArg(Napi::Value value, const std::string& name);

  /// Views of the bytes; valid as long as this object. Call it on any thread.
  std::vector<GivenTensor> tensors() const;
  /// @throws Error kInvalidArg if a buffer was transferred since
  void requireUntouched() const;

 private:
  struct Held {
    TensorSpec spec;
    std::vector<HeldBytes> parts;
  };

  std::vector<Held> tensors_;
};

}  // namespace rolltape::binding
