#include "../../core/batch/balanced_parts.h"

#include <algorithm>

#include "../support.h"

namespace rolltape {
namespace {

using Parts = std::vector<std::vector<std::uint32_t>>;

/// The heaviest item that is left, the first of equals.
std::uint32_t heaviest(const std::vector<std::uint64_t>& weights, const std::vector<bool>& taken) {
  std::uint32_t best = 0;
  while (taken[best]) ++best;
  for (std::uint32_t i = best + 1; i < weights.size(); ++i) {
    if (!taken[i] && weights[i] > weights[best]) best = i;
  }
  return best;
}

std::uint64_t weightOf(const std::vector<std::uint32_t>& part, const std::vector<std::uint64_t>& weights) {
  std::uint64_t sum = 0;
  for (const std::uint32_t item : part) sum += weights[item];
  return sum;
}

/// The lightest part; of equals the one with the fewest items, then the first.
Parts modelParts(const std::vector<std::uint64_t>& weights, std::size_t count) {
  Parts parts(count);
  std::vector<bool> taken(weights.size());
  for (std::size_t n = 0; n < weights.size(); ++n) {
    const std::uint32_t item = heaviest(weights, taken);
    taken[item] = true;
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) {
      const std::uint64_t own = weightOf(parts[i], weights);
      const std::uint64_t least = weightOf(parts[best], weights);
      if (own < least || (own == least && parts[i].size() < parts[best].size())) best = i;
    }
    parts[best].push_back(item);
  }
  for (auto& part : parts) std::ranges::sort(part);
  return parts;
}

std::vector<std::uint64_t> randomWeights(test::Random& random) {
  std::vector<std::uint64_t> weights(1 + random.below(60));
  const std::uint32_t most = random.chance(0.3) ? 3 : 1'000;
  for (std::uint64_t& weight : weights) weight = random.below(3) == 0 ? 0 : random.below(most);
  return weights;
}

TEST(BalancedParts, GiveTheHeaviestItemsFirstToTheLightestPart) {
  for (unsigned seed = 1000; seed < 1200; ++seed) {
    test::Random random(seed);
    const std::vector<std::uint64_t> weights = randomWeights(random);
    const std::size_t count = 1 + random.below(static_cast<std::uint32_t>(weights.size()) + 2);
    EXPECT_EQ(modelParts(weights, count), balancedParts(weights, count));
  }
}

TEST(BalancedParts, DifferByNoMoreThanTheHeaviestItem) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    const std::vector<std::uint64_t> weights = randomWeights(random);
    const std::size_t parts = 1 + random.below(static_cast<std::uint32_t>(weights.size()));
    std::vector<std::uint64_t> sums;
    std::vector<std::uint32_t> all;
    for (const auto& items : balancedParts(weights, parts)) {
      EXPECT_FALSE(items.empty());
      EXPECT_TRUE(std::ranges::is_sorted(items));
      sums.push_back(0);
      for (const std::uint32_t item : items) sums.back() += weights[item];
      all.insert(all.end(), items.begin(), items.end());
    }
    std::ranges::sort(all);
    EXPECT_EQ(weights.size(), all.size());
    EXPECT_EQ(std::ranges::unique(all).begin(), all.end());
    const auto [least, most] = std::ranges::minmax(sums);
    EXPECT_LE(most - least, std::ranges::max(weights));
  }
}

}  // namespace
}  // namespace rolltape
