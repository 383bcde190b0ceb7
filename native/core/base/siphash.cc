#include "siphash.h"

#include <algorithm>
#include <bit>

namespace rolltape {

static_assert(std::endian::native == std::endian::little, "words are read and tensors are written as little endian");

namespace {

std::uint64_t readWord(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

SipHash128::SipHash128(const SipKey& key)
    : v0_(readWord(key.data()) ^ 0x736f6d6570736575),
      v1_(readWord(key.data() + 8) ^ 0x646f72616e646f6d ^ 0xee),
      v2_(readWord(key.data()) ^ 0x6c7967656e657261),
      v3_(readWord(key.data() + 8) ^ 0x7465646279746573) {}

void SipHash128::round() {
  v0_ += v1_;
  v1_ = std::rotl(v1_, 13) ^ v0_;
  v0_ = std::rotl(v0_, 32);
  v2_ += v3_;
  v3_ = std::rotl(v3_, 16) ^ v2_;
  v0_ += v3_;
  v3_ = std::rotl(v3_, 21) ^ v0_;
  v2_ += v1_;
  v1_ = std::rotl(v1_, 17) ^ v2_;
  v2_ = std::rotl(v2_, 32);
}

void SipHash128::compress(std::uint64_t word) {
  v3_ ^= word;
  round();
  round();
  v0_ ^= word;
}

std::uint64_t SipHash128::fold(int rounds) {
  for (int i = 0; i < rounds; ++i) round();
  return v0_ ^ v1_ ^ v2_ ^ v3_;
}

void SipHash128::update(std::span<const std::uint8_t> bytes) {
  const std::size_t held = length_ % 8;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(8 - held, bytes.size());
    std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(held));
    if (held + taken < 8) return;
    compress(readWord(pending_.data()));
    bytes = bytes.subspan(taken);
  }
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) compress(readWord(bytes.data()));
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
}

SipHash128::Digest SipHash128::finish() {
  std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(length_ % 8), pending_.end(), std::uint8_t{0});
  compress(readWord(pending_.data()) | (static_cast<std::uint64_t>(length_) << 56));
  v2_ ^= 0xee;
  const std::uint64_t low = fold(4);
  v1_ ^= 0xdd;
  const std::uint64_t high = fold(4);
  Digest digest;
  std::memcpy(digest.data(), &low, sizeof low);
  std::memcpy(digest.data() + sizeof low, &high, sizeof high);
  return digest;
}

}  // namespace rolltape
