#include "balanced_parts.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

namespace rolltape {

namespace {

struct Part {
  std::uint64_t weight;
  std::uint64_t items;
  std::size_t index;

  /// Whether it is the worse place for the next item.
  bool operator<(const Part& other) const {
    return std::tie(weight, items, index) > std::tie(other.weight, other.items, other.index);
  }
};

}  // namespace

std::vector<std::vector<std::uint32_t>> balancedParts(std::span<const std::uint64_t> weights, std::size_t parts) {
  std::vector<std::uint32_t> heaviestFirst(weights.size());
  std::iota(heaviestFirst.begin(), heaviestFirst.end(), 0u);
  std::ranges::stable_sort(heaviestFirst, [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });

  std::priority_queue<Part> lightest;
  for (std::size_t i = 0; i < parts; ++i) lightest.push({0, 0, i});
  std::vector<std::vector<std::uint32_t>> split(parts);
  for (const std::uint32_t item : heaviestFirst) {
    Part part = lightest.top();
    lightest.pop();
    split[part.index].push_back(item);
    lightest.push({part.weight + weights[item], part.items + 1, part.index});
  }
  for (std::vector<std::uint32_t>& part : split) std::ranges::sort(part);
  return split;
}

}  // namespace rolltape
