#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../core/session/session.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// Stored interactions, in the order in which they are restored. `bytes` points into JavaScript buffers, which must
/// outlive it.
struct StoredParts {
  std::vector<std::span<const std::uint8_t>> bytes;
  /// One per part, or empty if none was compacted.
  std::vector<std::int32_t> compactedFrom;
  /// Items that were added to the interactions, in any order.
  std::vector<std::span<const std::uint8_t>> added;
};

/// The places of restored interactions in the tree, one entry per part. `RestoredTree` in JavaScript.
struct RestoredTree {
  std::vector<std::int32_t> parents;
  std::vector<std::uint8_t> tokenExact;

  Napi::Object toJs(Napi::Env env) const;
};

/// How errors name a part.
std::string storedPartName(std::size_t part);
/// Reads the arguments of `restore`. @throws Error kInvalidArg
StoredParts storedPartsArg(const std::vector<Napi::Value>& parts, Napi::Value compactedFrom,
                           const std::vector<Napi::Value>& added);
/// Adds the parts to a session. If a part is refused, the earlier parts stay. Does not use JavaScript, so any thread
/// may call it.
/// @throws Error as Session::restore, with the part's name
RestoredTree restoreParts(Session& session, const StoredParts& parts);

}  // namespace rolltape::binding
