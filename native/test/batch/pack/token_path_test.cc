#include "../../../core/batch/pack/token_path.h"

#include "../../model.h"

namespace rolltape {
namespace {

template <typename T>
std::vector<T> taken(const T* first, std::size_t count) {
  return {first, first + count};
}

/// Loss mask, log probabilities and versions of the first `length` tokens, those before `from` as inputs.
test::ModelRow written(const TokenPath& path, std::uint32_t from, std::size_t length) {
  test::ModelRow row;
  row.ids = taken(path.inputIds(), length);
  row.lossMask.resize(length);
  row.logprobs.resize(length);
  row.versions.resize(length);
  TrainedColumns out{{row.lossMask.data(), false}, {row.logprobs.data(), false}, {row.versions.data(), false}};
  path.writeTrained(from, static_cast<std::uint32_t>(length), out);
  return row;
}

void expectSame(const test::ModelRow& expected, const test::ModelRow& row, std::size_t length) {
  EXPECT_EQ(taken(expected.ids.data(), length), row.ids);
  EXPECT_EQ(taken(expected.lossMask.data(), length), row.lossMask);
  EXPECT_EQ(taken(expected.logprobs.data(), length), row.logprobs);
  EXPECT_EQ(taken(expected.versions.data(), length), row.versions);
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
    TokenPath outputs(1000, TokenPath::Holds::kOutputs);
    TokenPath ids(1000, TokenPath::Holds::kIds);
    TokenPath cut(7, TokenPath::Holds::kOutputs);
    for (int move = 0; move < 300; ++move) {
      const test::ModelledSession& session = grown[random.below(2)];
      const std::uint32_t index = random.below(static_cast<std::uint32_t>(session.model.all.size()));
      const Interaction& interaction = session.session.interaction(index);
      const test::ModelRow row = recorded(session.model, index);
      const std::size_t length = row.ids.size();
      outputs.moveTo(interaction);
      ids.moveTo(interaction);
      cut.moveTo(interaction);
      expectSame(row, written(outputs, 0, length), length);
      expectSame(modelRow(session.model, index, RowStyle::kIndividual), written(ids, interaction.inputLength, length),
                 length);
      const std::size_t kept = std::min<std::size_t>(length, 7);
      expectSame(row, written(cut, 0, kept), kept);
    }
  }
}

TEST(TokenPath, LeavesOutOutputsBeforeTheFirstThatIsTrainedOn) {
  Session session(test::kKey);
  const auto index = test::record(session, test::promptOf({1, 2}), test::generationOf({3, 4, 5}, 6), {"u"}, {"a"});
  const Interaction& interaction = session.interaction(index);
  for (const auto holds : {TokenPath::Holds::kIds, TokenPath::Holds::kOutputs}) {
    TokenPath path(5, holds);
    path.moveTo(interaction);
    const test::ModelRow row = written(path, 3, 5);
    EXPECT_EQ((std::vector<std::int32_t>{0, 0, 0, 1, 1}), row.lossMask);
    EXPECT_EQ((std::vector<float>{0, 0, 0, -4.0f / 8, -5.0f / 8}), row.logprobs);
    EXPECT_EQ((std::vector<std::int32_t>{-1, -1, -1, 6, 6}), row.versions);
    EXPECT_EQ((std::vector<std::int32_t>{0, 0, 0}), written(path, 3, 3).lossMask);
  }
}

}  // namespace
}  // namespace rolltape
