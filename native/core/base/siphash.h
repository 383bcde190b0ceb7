#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace rolltape {

using SipKey = std::array<std::uint8_t, 16>;

/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein; the reference's siphash.c with outlen 16): a keyed hash
/// whose collisions an outsider, who chooses the messages but not the key, cannot find.
class SipHash128 {
 public:
  using Digest = std::array<std::uint8_t, 16>;

  explicit SipHash128(const SipKey& key);
  void update(std::span<const std::uint8_t> bytes);
  Digest finish();

 private:
  void round();
  void compress(std::uint64_t word);
  std::uint64_t fold(int rounds);

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
  std::array<std::uint8_t, 8> pending_{};
  std::size_t length_ = 0;
};

}  // namespace rolltape
