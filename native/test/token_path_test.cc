#include "../core/token_path.h"

#include "model.h"

namespace rolltape {
namespace {

template <typename T>
std::vector<T> taken(const T* first, std::size_t count) {
  return {first, first + count};
}

/// The recorded values of a whole sequence: outputs of every ancestor whose tokens it shares count as outputs.
test::ModelRow recorded(const test::Model& model, std::size_t index) {
  test::ModelRow row = modelRow(model, index, RowStyle::kIndividual);
  const auto parent = model.all[index].parent;
  if (parent < 0) return row;
  const test::ModelRow before = recorded(model, static_cast<std::size_t>(parent));
  for (std::size_t i = 0; i < model.shared(index); ++i) {
    row.lossMask[i] = before.lossMask[i];
    row.logprobs[i] = before.logprobs[i];
    row.versions[i] = before.versions[i];
  }
  return row;
}

TEST(TokenPath, MovesFromAnyInteractionToAnyOther) {
  for (unsigned seed = 700; seed < 730; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::Random random(seed);
    std::vector<test::ModelledSession> grown(2);
    for (int step = 0; step < 80; ++step) grown[random.below(2)].grow(random);
    TokenPath path(1000);
    TokenPath cut(7);
    for (int move = 0; move < 300; ++move) {
      const test::ModelledSession& session = grown[random.below(2)];
      const std::uint32_t index = random.below(static_cast<std::uint32_t>(session.model.all.size()));
      const test::ModelRow row = recorded(session.model, index);
      const std::size_t length = row.ids.size();
      path.moveTo(session.session.interaction(index));
      cut.moveTo(session.session.interaction(index));
      EXPECT_EQ(row.ids, taken(path.columns().inputIds, length));
      EXPECT_EQ(row.lossMask, taken(path.columns().lossMask, length));
      EXPECT_EQ(row.logprobs, taken(path.columns().logprobs, length));
      EXPECT_EQ(row.versions, taken(path.columns().versions, length));
      const std::size_t kept = std::min<std::size_t>(length, 7);
      EXPECT_EQ(taken(row.ids.data(), kept), taken(cut.columns().inputIds, kept));
      EXPECT_EQ(taken(row.versions.data(), kept), taken(cut.columns().versions, kept));
    }
  }
}

}  // namespace
}  // namespace rolltape
