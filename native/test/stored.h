#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "../core/base/crc32c.h"
#include "../core/session/session.h"

namespace rolltape::test {

/// Used by the tests and the fuzz targets.

inline std::vector<std::uint8_t> stored(const Session& session, std::uint32_t index) {
  const InteractionWriter writer = session.serialize(index);
  std::vector<std::uint8_t> bytes(writer.byteLength());
  writer.write(bytes.data());
  return bytes;
}

/// Returns a session that is restored from the stored bytes of another, with the same rewards.
inline Session restored(const Session& session, const SipKey& key) {
  Session copy(key);
  for (std::uint32_t i = 0; i < session.length(); ++i) {
    copy.restore(stored(session, i));
    if (session.state(i).isRewarded()) copy.setReward(i, session.state(i).ownReward);
  }
  if (session.sessionReward()) copy.setSessionReward(*session.sessionReward());
  return copy;
}

/// Writes the right checksum into changed bytes, so that other checks are reached.
inline void seal(std::vector<std::uint8_t>& bytes) {
  const std::uint32_t checksum = crc32c(std::span(bytes).first(bytes.size() - sizeof(std::uint32_t)));
  std::memcpy(bytes.data() + bytes.size() - sizeof checksum, &checksum, sizeof checksum);
}

}  // namespace rolltape::test
