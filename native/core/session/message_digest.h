#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "../base/siphash.h"

namespace rolltape {

/// Chain digest of a message list: that of messages 0..k is the hash of that of messages 0..k-1 and of message k, so
/// that two lists share a prefix exactly if their digests there are equal. All zero for the empty list.
using MessageDigest = SipHash128::Digest;

/// The digest of a list with digest `before` and one message more.
inline MessageDigest chainDigest(const SipKey& key, const MessageDigest& before,
                                 std::span<const std::uint8_t> message) {
  SipHash128 hash(key);
  hash.update(before);
  hash.update(message);
  return hash.finish();
}

/// For hash tables: the digest is already as good as random.
struct MessageDigestHash {
  std::size_t operator()(const MessageDigest& digest) const {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
  }
};

}  // namespace rolltape
