#include "../../../core/batch/pack/row_schedule.h"

#include <algorithm>

#include "../../forest.h"

namespace rolltape {
namespace {

/// Places that split [0, work) at random; some parts are empty.
std::vector<std::uint64_t> splitAt(std::uint64_t work, test::Random& random) {
  std::vector<std::uint64_t> places{0, work};
  for (std::uint32_t parts = random.below(6); parts > 0; --parts) {
    places.push_back(random.below(static_cast<std::uint32_t>(work) + 1));
  }
  std::ranges::sort(places);
  return places;
}

TEST(RowSchedule, VisitsEveryRowInOnePartWithThePathAtItsInteraction) {
  for (unsigned seed = 900; seed < 960; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    const test::Forest forest = randomForest(random);
    const PlanOptions options = test::randomOptions(random);
    const Plan plan(test::sessionsOf(forest), options);
    const std::vector<test::ForestRow> expected = modelRows(forest, options);
    ASSERT_EQ(expected.size(), plan.rows().size());
    std::vector<std::uint64_t> weights;
    for (std::size_t i = 0; i < expected.size(); ++i) weights.push_back(random.below(4));
    const RowSchedule schedule(plan, weights, heldFor(plan));
    std::vector<int> visits(expected.size());
    const std::vector<std::uint64_t> places = splitAt(schedule.work(), random);
    for (std::size_t part = 1; part < places.size(); ++part) {
      schedule.visit(places[part - 1], places[part], [&](std::size_t row, const TokenPath& path) {
        ++visits[row];
        const std::vector<std::int32_t>& ids = expected[row].row.ids;
        EXPECT_TRUE(std::equal(ids.begin(), ids.end(), path.inputIds()));
      });
    }
    EXPECT_EQ(std::vector<int>(expected.size(), 1), visits);
  }
}

}  // namespace
}  // namespace rolltape
