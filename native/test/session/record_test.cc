#include "../../core/session/sequence.h"
#include "../model.h"

namespace rolltape {
namespace {

using test::ModelledSession;

TEST(Record, RandomTreesAreStoredAsTheModelSays) {
  for (unsigned seed = 200; seed < 260; ++seed) {
    test::Random random(seed);
    ModelledSession grown;
    for (int step = 0; step < 80; ++step) grown.grow(random);
    for (std::uint32_t i = 0; i < grown.session.length(); ++i) {
      const Interaction& at = grown.session.interaction(i);
      EXPECT_EQ(grown.model.shared(i), at.shared);
      EXPECT_EQ(grown.model.exact(i), at.tokenExact);
      std::vector<TokenSpan> spans;
      appendSequence(at, spans);
      const std::vector<std::int32_t> sequence = grown.model.all[i].sequence();
      EXPECT_EQ(sequence, test::join(spans));
      for (std::uint32_t p = 0; p < sequence.size(); ++p) EXPECT_EQ(sequence[p], tokenAt(at, p));
    }
  }
}

}  // namespace
}  // namespace rolltape
