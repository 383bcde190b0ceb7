#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rolltape {

/// Splits items into `parts` parts of nearly equal weight: the heaviest first, each to the part that is lightest by
/// then (longest processing time first, R. L. Graham 1969), the one with the fewest items among equals. No part weighs
/// more than 4/3 of what the best split's heaviest does; none is empty where there are items enough. Items of a part
/// are in order.
std::vector<std::vector<std::uint32_t>> balancedParts(std::span<const std::uint64_t> weights, std::size_t parts);

}  // namespace rolltape
