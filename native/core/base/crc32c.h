#pragma once

#include <cstdint>
#include <span>

namespace rolltape {

/// Returns the CRC-32C (Castagnoli; RFC 3720, appendix B.4). It differs for any two inputs of the same length whose
/// differing bits lie within 32 bits of each other. Uses the processor's CRC instruction if it has one.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

/// Returns the same as crc32c() without the instruction, several times slower.
std::uint32_t crc32cByTable(std::span<const std::uint8_t> bytes);

}  // namespace rolltape
