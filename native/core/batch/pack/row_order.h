#pragma once

#include <cstdint>
#include <vector>

#include "../plan.h"

namespace rolltape {

/// The plan's rows, as indices, such that rows which share a prefix follow each other: session by session, by the token
/// tree in depth-first order.
std::vector<std::uint32_t> rowOrder(const Plan& plan);

}  // namespace rolltape
