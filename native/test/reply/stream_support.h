#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "../../core/reply/reply_stream.h"
#include "../support.h"

namespace rolltape::test {

/// Tokens as an engine samples them.
struct SampledToken {
  std::int32_t id;
  float logprob;
  std::int32_t version;
  /// Other ids; their log probabilities are -1, -2, …
  std::vector<std::int32_t> top;
};

inline std::string jsonNumber(float value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", static_cast<double>(value));
  return digits;
}

/// Random tokens, often the same one with the same log probability several times in a row.
inline std::vector<SampledToken> sampledTokens(Random& random, std::size_t count, std::size_t top) {
  std::vector<SampledToken> tokens;
  std::int32_t version = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && random.chance(0.3)) {
      tokens.push_back(tokens.back());
    } else {
      const auto id = static_cast<std::int32_t>(random.below(random.chance(0.5) ? 10 : 200'000));
      tokens.push_back({id, static_cast<float>(random.below(1000)) / -97.0f, version, {}});
      for (std::size_t k = 0; k < top; ++k)
        tokens.back().top.push_back(static_cast<std::int32_t>(random.below(50'000)));
    }
    if (random.chance(0.02)) ++version;
    tokens.back().version = version;
  }
  return tokens;
}

/// What the generation has from token `from` on, held against the tokens.
inline void expectTokens(const Generation& generation, std::size_t from, const std::vector<SampledToken>& tokens,
                         bool withVersions = true) {
  ASSERT_EQ(from + tokens.size(), generation.length());
  std::vector<std::int32_t> versions(generation.length());
  expandVersions(generation.versionRuns(), 0, versions);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ASSERT_EQ(tokens[i].id, generation.ids()[from + i]) << i;
    ASSERT_EQ(tokens[i].logprob, generation.logprobs()[from + i]) << i;
    if (withVersions) {
      ASSERT_EQ(tokens[i].version, versions[from + i]) << i;
    }
    const std::size_t width = generation.top().width();
    for (std::size_t k = 0; k < tokens[i].top.size(); ++k) {
      ASSERT_EQ(tokens[i].top[k], generation.top().ids()[(from + i) * width + k]) << i;
      ASSERT_EQ(-1.0f - static_cast<float>(k), generation.top().logprobs()[(from + i) * width + k]) << i;
    }
  }
}

/// Pushes the text in random pieces.
inline void pushInPieces(ReplyStream& stream, Generation& into, std::string_view text, Random& random) {
  const std::uint32_t longest = random.chance(0.2) ? 3 : 4000;
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(text.size(), 1 + random.below(longest));
    stream.push(bytesOf(text.substr(0, size)), into);
    text.remove_prefix(size);
  }
}

}  // namespace rolltape::test
