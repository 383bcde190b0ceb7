#pragma once

#include <cstdint>
#include <span>

namespace rolltape {

/// Returns the CRC-32C (Castagnoli; RFC 3720, appendix B.4). It differs for any two inputs of the same length whose
/// differing bits lie within 32 bits of each other. Uses the processor's CRC instruction if it has one.
/// @param seed the checksum of the bytes before these; the result is the checksum of both together
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t seed = 0);

/// Returns the same as crc32c() without the instruction, several times slower.
std::uint32_t crc32cByTable(std::span<const std::uint8_t> bytes, std::uint32_t seed = 0);

}  // namespace rolltape
