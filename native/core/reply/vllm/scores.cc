#include "../scores.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "../../base/base64.h"
#include "../../base/error.h"
#include "../../json/cursor.h"
#include "../npy.h"
#include "../token_logprob.h"

namespace rolltape {

namespace {

/// A token in an entry of `prompt_logprobs`.
struct RankedToken {
  std::int32_t id = 0;
  float logprob = 0;
  std::int64_t rank = std::numeric_limits<std::int64_t>::max();
};

std::int32_t readKey(const JsonCursor& json, std::string_view key) {
  std::int32_t id = -1;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc() || end != key.data() + key.size() || id < 0) json.fail("prompt_logprobs has no token id");
  return id;
}

RankedToken readToken(JsonCursor& json, std::int32_t id) {
  RankedToken token{.id = id};
  json.object([&](std::string_view key) {
    if (key == "logprob") {
      token.logprob = readFloat32(json);
    } else if (key == "rank" && !json.consumeNull()) {
      token.rank = json.integer("rank", 0, std::numeric_limits<std::int32_t>::max());
    } else if (key != "rank") {
      json.skip();
    }
  });
  return token;
}

/// Reads the lists of `prompt_logprobs`, one for each token of the sequence.
class PromptLogprobs {
 public:
  explicit PromptLogprobs(const AskedScores& asked) : asked_(asked) {}

  void read(JsonCursor& json) {
    std::size_t position = 0;
    json.array([&] {
      if (position < asked_.first || position >= asked_.ids.size()) {
        json.skip();
      } else {
        readPosition(json, position);
      }
      ++position;
    });
    if (position == asked_.ids.size()) return;
    throw Error(ErrorCode::kReplyMismatch, "prompt_logprobs has " + std::to_string(position) + " entries for " +
                                               std::to_string(asked_.ids.size()) + " tokens");
  }

  Scores take() { return std::move(scores_); }

 private:
  void readPosition(JsonCursor& json, std::size_t position) {
    tokens_.clear();
    if (!json.consumeNull()) {
      json.object([&](std::string_view key) { tokens_.push_back(readToken(json, readKey(json, key))); });
    }
    const auto own = std::ranges::find(tokens_, asked_.ids[position], &RankedToken::id);
    if (own == tokens_.end()) {
      throw Error(ErrorCode::kReplyMismatch, "prompt_logprobs has no entry for token " + std::to_string(position));
    }
    scores_.logprobs.push_back(requireScore(own->logprob, position));
    addTop(position);
  }

  /// The token itself is listed first, whatever its rank, and then the most probable ones.
  void addTop(std::size_t position) {
    if (asked_.topWidth == 0) return;
    std::ranges::stable_sort(tokens_, {}, &RankedToken::rank);
    for (std::size_t k = 0; k < asked_.topWidth; ++k) {
      const bool isThere = k < tokens_.size() && tokens_[k].rank <= static_cast<std::int64_t>(asked_.topWidth);
      scores_.topIds.push_back(isThere ? tokens_[k].id : Scores::kUnused);
      scores_.topLogprobs.push_back(isThere ? requireScore(tokens_[k].logprob, position) : Scores::kUnusedLogprob);
    }
  }

  const AskedScores& asked_;
  Scores scores_;
  std::vector<RankedToken> tokens_;
};

/// Reads a file in NumPy's format with one float32 for each token.
Scores readNpyScores(JsonCursor& json, const AskedScores& asked) {
  std::string decoded;
  const std::string_view text = json.text(decoded);
  const std::optional<std::uint64_t> length = decodedLength(text);
  if (!length) json.fail("prompt_token_id_logprobs is not base64");
  std::string file(*length, '\0');
  if (!readBase64(text, reinterpret_cast<std::byte*>(file.data()))) json.fail("prompt_token_id_logprobs is not base64");
  const std::size_t headerEnd = npyHeaderEnd(file);
  if (headerEnd == 0 || headerEnd > file.size()) json.fail("prompt_token_id_logprobs is not a file in NumPy's format");
  const NpyHeader header = readNpyHeader(std::string_view(file).substr(0, headerEnd));
  const bool isExpected = header.descr == "'<f4'" && !header.isFortranOrder &&
                          header.shape == std::vector<std::uint64_t>{asked.count(), 1} &&
                          file.size() - headerEnd == asked.count() * sizeof(float);
  if (!isExpected) {
    throw Error(ErrorCode::kReplyMismatch, "prompt_token_id_logprobs is not one float32 for each of the " +
                                               std::to_string(asked.count()) + " tokens");
  }
  Scores scores;
  scores.logprobs.resize(asked.count());
  std::memcpy(scores.logprobs.data(), file.data() + headerEnd, scores.logprobs.size() * sizeof(float));
  for (std::size_t i = 0; i < scores.logprobs.size(); ++i) requireScore(scores.logprobs[i], asked.first + i);
  return scores;
}

/// Reads the member of a reply or of one of its choices. Skips any other.
void readMember(std::string_view key, JsonCursor& json, const AskedScores& asked, std::optional<Scores>& scores) {
  if (key == "prompt_logprobs" && !json.consumeNull()) {
    PromptLogprobs lists(asked);
    lists.read(json);
    scores = lists.take();
  } else if (key == "prompt_token_id_logprobs" && !json.consumeNull()) {
    scores = readNpyScores(json, asked);
  } else if (key == "choices") {
    json.array([&] { json.object([&](std::string_view inner) { readMember(inner, json, asked, scores); }); });
  } else if (key != "prompt_logprobs" && key != "prompt_token_id_logprobs") {
    json.skip();
  }
}

}  // namespace

std::optional<Scores> readVllmScores(std::span<const std::uint8_t> body, const AskedScores& asked) {
  std::optional<Scores> scores;
  JsonCursor json(body);
  json.object([&](std::string_view key) { readMember(key, json, asked, scores); });
  json.finish();
  return scores;
}

}  // namespace rolltape
