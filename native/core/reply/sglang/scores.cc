#include "../scores.h"

#include <algorithm>
#include <utility>

#include "../../base/error.h"
#include "../../json/cursor.h"
#include "../token_logprob.h"

namespace rolltape {

namespace {

/// The lists of a reply. Both end with the last token of the sequence.
struct Lists {
  std::vector<TokenLogprob> tokens;
  /// Entries of each position, best first.
  std::vector<std::vector<TokenLogprob>> top;
};

std::vector<TokenLogprob> readTokens(JsonCursor& json) {
  std::vector<TokenLogprob> tokens;
  if (!json.consumeNull()) json.array([&] { tokens.push_back(readTokenLogprob(json)); });
  return tokens;
}

void readMetaInfo(JsonCursor& json, Lists& lists) {
  json.object([&](std::string_view key) {
    if (key == "input_token_logprobs") {
      lists.tokens = readTokens(json);
    } else if (key == "input_top_logprobs" && !json.consumeNull()) {
      json.array([&] { lists.top.push_back(readTokens(json)); });
    } else if (key != "input_top_logprobs") {
      json.skip();
    }
  });
}

/// Checks that the reply is about the tokens that were sent. SGLang 0.5.23 writes 0 for the last id of the vocabulary,
/// and for ids beyond it, whose scores are those of the last id: so 0 may stand for one other id only.
void requireTokens(const std::vector<TokenLogprob>& tokens, const AskedScores& asked) {
  const auto fromEnd = static_cast<std::ptrdiff_t>(asked.count());
  std::int32_t zeroStandsFor = 0;
  const auto matches = [&](const TokenLogprob& token, std::int32_t id) {
    if (token.id == id) return true;
    if (token.id != 0 || (zeroStandsFor != 0 && zeroStandsFor != id)) return false;
    zeroStandsFor = id;
    return true;
  };
  if (tokens.size() >= asked.count() &&
      std::equal(tokens.end() - fromEnd, tokens.end(), asked.ids.end() - fromEnd, matches) &&
      (zeroStandsFor == 0 || std::ranges::max(asked.ids) == zeroStandsFor)) {
    return;
  }
  throw Error(ErrorCode::kReplyMismatch, "input_token_logprobs does not end with the tokens that were to be scored");
}

}  // namespace

Scores readSglangScores(std::span<const std::uint8_t> body, const AskedScores& asked) {
  Lists lists;
  JsonCursor json(body);
  json.object([&](std::string_view key) {
    if (key == "meta_info") {
      readMetaInfo(json, lists);
    } else {
      json.skip();
    }
  });
  json.finish();
  requireTokens(lists.tokens, asked);
  Scores scores;
  const std::size_t tokensBefore = lists.tokens.size() - asked.count();
  for (std::size_t i = 0; i < asked.count(); ++i) {
    scores.logprobs.push_back(requireScore(lists.tokens[tokensBefore + i].logprob, asked.first + i));
  }
  if (asked.topWidth == 0) return scores;
  if (lists.top.size() < asked.count()) {
    throw Error(ErrorCode::kReplyMismatch, "input_top_logprobs has " + std::to_string(lists.top.size()) +
                                               " lists for " + std::to_string(asked.count()) + " tokens");
  }
  scores.topIds.resize(asked.count() * asked.topWidth, Scores::kUnused);
  scores.topLogprobs.resize(asked.count() * asked.topWidth, Scores::kUnusedLogprob);
  const std::size_t listsBefore = lists.top.size() - asked.count();
  for (std::size_t i = 0; i < asked.count(); ++i) {
    const std::vector<TokenLogprob>& top = lists.top[listsBefore + i];
    for (std::size_t k = 0; k < std::min(top.size(), asked.topWidth); ++k) {
      scores.topIds[i * asked.topWidth + k] = top[k].id;
      scores.topLogprobs[i * asked.topWidth + k] = requireScore(top[k].logprob, asked.first + i);
    }
  }
  return scores;
}

}  // namespace rolltape
