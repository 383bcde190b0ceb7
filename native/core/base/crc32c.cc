#include "crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace rolltape {

namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82f63b78;
/// Bytes per step. Each has a table of its own, so that the look-ups of a step do not depend on each other.
constexpr std::size_t kStep = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kStep>;

/// Entry `byte` of table k is the change of the checksum by that byte if k bytes follow it.
constexpr Tables makeTables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kReflectedPolynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < kStep; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = makeTables();

/// Returns the change of the checksum by the four bytes of `word` if `following` bytes of the step come after them.
std::uint32_t changeBy(std::uint32_t word, std::size_t following) {
  return kTables[following + 3][word & 0xff] ^ kTables[following + 2][word >> 8 & 0xff] ^
         kTables[following + 1][word >> 16 & 0xff] ^ kTables[following][word >> 24];
}

#if defined(__x86_64__)

[[gnu::target("sse4.2")]] std::uint32_t crc32cByInstruction(std::span<const std::uint8_t> bytes, std::uint32_t seed) {
  std::uint64_t crc = ~seed;
  for (; bytes.size() >= sizeof crc; bytes = bytes.subspan(sizeof crc)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto last = static_cast<std::uint32_t>(crc);
  for (const std::uint8_t byte : bytes) last = __builtin_ia32_crc32qi(last, byte);
  return ~last;
}

#endif

}  // namespace

std::uint32_t crc32cByTable(std::span<const std::uint8_t> bytes, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
  for (; bytes.size() >= kStep; bytes = bytes.subspan(kStep)) {
    std::array<std::uint32_t, 2> words;
    std::memcpy(words.data(), bytes.data(), kStep);
    crc = changeBy(words[0] ^ crc, 4) ^ changeBy(words[1], 0);
  }
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ byte) & 0xff];
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t seed) {
#if defined(__x86_64__)
  static const bool hasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (hasInstruction) return crc32cByInstruction(bytes, seed);
#endif
  return crc32cByTable(bytes, seed);
}

}  // namespace rolltape
