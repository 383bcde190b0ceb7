#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "napi_setup.h"

namespace rolltape::binding {

/// The bytes of a Uint8Array that a worker thread reads in place. Create and destroy it on the event loop.
///
/// JavaScript can still pull the memory away: it may shrink a resizable buffer, and it may transfer a buffer to a
/// thread that frees it. The first is refused. Node-API can neither forbid the second nor keep the memory: who calls
/// must not transfer what is read, and requireUntouched() refuses the outcome if it happened.
class HeldBytes {
 public:
  /// @throws Error kInvalidArg that names the argument, unless it is a Uint8Array over memory of fixed size that no
  /// other thread has
  HeldBytes(Napi::Value value, std::string name);

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  const std::string& name() const { return name_; }
  /// @throws Error kInvalidArg if the buffer was transferred since
  void requireUntouched() const;

 private:
  std::string name_;
  std::span<const std::uint8_t> bytes_;
  Napi::Reference<Napi::Uint8Array> array_;
};

}  // namespace rolltape::binding
