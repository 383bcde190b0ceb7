#include "../../core/session/sequence_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "../support.h"

namespace rolltape {
namespace {

using Ids = std::vector<std::int32_t>;

/// The obvious search: every sequence is compared.
std::optional<std::uint32_t> findByComparing(const std::vector<Ids>& sequences, const Ids& tokens) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < sequences.size(); ++i) {
    const Ids& sequence = sequences[i];
    const bool isPrefix =
        sequence.size() <= tokens.size() && std::equal(sequence.begin(), sequence.end(), tokens.begin());
    if (isPrefix && !sequence.empty() && (!best || sequence.size() >= sequences[*best].size())) best = i;
  }
  return best;
}

class RandomSession {
 public:
  explicit RandomSession(unsigned seed) : random_(seed), session_(test::kKey) {}

  void recordOne() {
    const bool continues = !sequences_.empty() && below(4) > 0;
    Ids prompt = continues ? sequences_[below(sequences_.size())] : Ids();
    // Some prompts leave their parent before its end.
    if (below(4) == 0) prompt.resize(below(prompt.size() + 1));
    append(prompt, 3);
    const std::optional<std::uint32_t> parent = session_.findSequence(prompt);
    EXPECT_EQ(findByComparing(sequences_, prompt), parent);
    Ids output;
    append(output, 3);
    const Prompt whole = test::promptOf(prompt);
    RecordInput input{.prompt = whole, .generation = generation(output), .digests = {}, .output = {}};
    // Some interactions have no parent although there is one, as those of chat calls can.
    input.parent = parent && below(4) > 0 ? static_cast<std::int32_t>(*parent) : -1;
    session_.record(input);
    prompt.insert(prompt.end(), output.begin(), output.end());
    sequences_.push_back(prompt);
  }

  void search() {
    Ids tokens = sequences_[below(sequences_.size())];
    append(tokens, 3);
    EXPECT_EQ(findByComparing(sequences_, tokens), session_.findSequence(tokens));
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  /// Few different ids, so that sequences have much in common.
  void append(Ids& ids, std::size_t most) {
    for (std::size_t count = below(most + 1); count > 0; --count) ids.push_back(static_cast<std::int32_t>(below(2)));
  }

  const Generation& generation(const Ids& ids) {
    generation_ = Generation();
    generation_.append(ids, std::vector<float>(ids.size(), -1.0F), 0);
    return generation_;
  }

  std::mt19937 random_;
  Session session_;
  Generation generation_;
  std::vector<Ids> sequences_;
};

TEST(SequenceIndex, FindsWhatComparingEverySequenceFinds) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomSession session(seed);
    for (int i = 0; i < 40; ++i) session.recordOne();
    for (int i = 0; i < 40; ++i) session.search();
  }
}

TEST(SequenceIndex, FindsNothingInASessionWithoutSequences) {
  Session session(test::kKey);
  EXPECT_FALSE(session.findSequence(Ids{1, 2}));
  EXPECT_FALSE(session.findSequence({}));
}

TEST(SequenceIndex, CountsItsMemoryOnceItIsSearched) {
  Session session(test::kKey);
  test::record(session, test::promptOf({1, 2, 3}), test::generationOf({4}), {"u"}, {"a"});
  const std::size_t before = session.byteLength();
  EXPECT_EQ(0U, session.findSequence(Ids{1, 2, 3, 4}));
  EXPECT_GT(session.byteLength(), before);
}

}  // namespace
}  // namespace rolltape
