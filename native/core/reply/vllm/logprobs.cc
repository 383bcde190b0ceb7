#include "logprobs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "../../base/error.h"
#include "../token_logprob.h"

namespace rolltape {

namespace {

constexpr std::int32_t kNoId = -1;

/// "token_id:123", as `return_tokens_as_token_ids` makes a server name tokens.
std::int32_t tokenIdOf(const JsonCursor& json, std::string_view name) {
  constexpr std::string_view prefix = "token_id:";
  std::int32_t id = kNoId;
  if (name.starts_with(prefix)) {
    name.remove_prefix(prefix.size());
    const auto read = std::from_chars(name.data(), name.data() + name.size(), id);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) id = kNoId;
  }
  if (id < 0) json.fail("a token that is not named \"token_id:…\"");
  return id;
}

/// null and vLLM's -9999 are -Infinity.
float readLogprob(JsonCursor& json) {
  constexpr float excluded = -9999;
  const float logprob = readFloat32(json);
  return logprob == excluded ? -std::numeric_limits<float>::infinity() : logprob;
}

void addLogprob(const JsonCursor& json, std::vector<float>& logprobs, float logprob) {
  if (!std::isfinite(logprob)) {
    throw Error(ErrorCode::kReplyNotFinite, "the log probability of output token " + std::to_string(logprobs.size()) +
                                                " is not finite, before byte " + std::to_string(json.offset()));
  }
  logprobs.push_back(logprob);
}

/// The log probabilities of the tokens that a request asked for, at one position.
class FixedTokens {
 public:
  explicit FixedTokens(std::span<const std::int32_t> ids) : ids_(ids), logprobs_(ids.size()), isFound_(ids.size()) {}

  void clear() { isFound_.assign(ids_.size(), false); }
  void add(std::int32_t id, float logprob) {
    const auto found = std::ranges::find(ids_, id);
    if (found == ids_.end()) return;
    const auto place = static_cast<std::size_t>(found - ids_.begin());
    logprobs_[place] = logprob;
    isFound_[place] = true;
  }
  void moveTo(TopLists& lists) {
    const bool isComplete = std::ranges::all_of(isFound_, [](bool isFound) { return isFound; });
    if (ids_.empty() || !isComplete) return;
    const std::size_t first = lists.ids.size();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const bool isExcluded = !std::isfinite(logprobs_[i]);
      lists.ids.push_back(isExcluded ? TopLogprobs::kUnused : ids_[i]);
      lists.logprobs.push_back(isExcluded ? 0.0f : logprobs_[i]);
    }
    lists.endList(first);
  }

 private:
  std::span<const std::int32_t> ids_;
  std::vector<float> logprobs_;
  std::vector<bool> isFound_;
};

/// The alternatives of one token, as they come.
class Alternatives {
 public:
  Alternatives(std::size_t width, std::span<const std::int32_t> tokenIds) : width_(width), fixed_(tokenIds) {}

  void clear() {
    entries_.clear();
    fixed_.clear();
  }
  /// A token that the sampler excluded is none.
  void add(const JsonCursor& json, std::int32_t id, float logprob) {
    fixed_.add(id, logprob);
    if (std::isfinite(logprob)) {
      entries_.push_back({logprob, id});
    } else if (!(logprob < 0)) {
      throw Error(ErrorCode::kReplyNotFinite, "the log probability of an alternative is not a number, before byte " +
                                                  std::to_string(json.offset()));
    }
  }
  void moveTo(VllmLogprobs& into) {
    fixed_.moveTo(into.tokenIds);
    TopLists& top = into.top;
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const TokenLogprob& a, const TokenLogprob& b) { return a.logprob > b.logprob; });
    if (entries_.size() > width_) entries_.resize(width_);
    const std::size_t first = top.ids.size();
    for (const TokenLogprob& entry : entries_) {
      top.ids.push_back(entry.id);
      top.logprobs.push_back(entry.logprob);
    }
    top.endList(first);
    clear();
  }

 private:
  std::size_t width_;
  FixedTokens fixed_;
  std::vector<TokenLogprob> entries_;
};

/// A member of an entry: the token, by id or by name, or its log probability. False for any other.
bool readEntryMember(JsonCursor& json, std::string_view key, TokenLogprob& entry) {
  if (key == "token_id") {
    entry.id = readTokenId(json);
  } else if (key == "token" && entry.id == kNoId && json.peek() == '"') {
    entry.id = tokenIdOf(json, json.string());
  } else if (key == "logprob") {
    entry.logprob = readLogprob(json);
  } else {
    return false;
  }
  return true;
}

constexpr TokenLogprob kEmptyEntry{-std::numeric_limits<float>::infinity(), kNoId};

void readContentTop(JsonCursor& json, Alternatives& alternatives) {
  alternatives.clear();
  if (json.consumeNull()) return;
  json.array([&] {
    TokenLogprob entry = kEmptyEntry;
    json.object([&](std::string_view key) {
      if (!readEntryMember(json, key, entry)) json.skip();
    });
    if (entry.id < 0) json.fail("an alternative without a token");
    alternatives.add(json, entry.id, entry.logprob);
  });
}

void readContent(JsonCursor& json, VllmLogprobs& into, Alternatives& alternatives) {
  into = {};
  if (json.consumeNull()) return;
  json.array([&] {
    TokenLogprob entry = kEmptyEntry;
    alternatives.clear();
    json.object([&](std::string_view key) {
      if (readEntryMember(json, key, entry)) return;
      if (key == "top_logprobs") {
        readContentTop(json, alternatives);
      } else {
        json.skip();
      }
    });
    if (entry.id < 0) json.fail("an entry of content without a token");
    into.ids.push_back(entry.id);
    addLogprob(json, into.logprobs, entry.logprob);
    alternatives.moveTo(into);
  });
}

void readTokens(JsonCursor& json, VllmLogprobs& into) {
  into.ids.clear();
  if (json.consumeNull()) return;
  json.array([&] { into.ids.push_back(tokenIdOf(json, json.string())); });
}

void readTokenLogprobs(JsonCursor& json, VllmLogprobs& into) {
  into.logprobs.clear();
  if (json.consumeNull()) return;
  json.array([&] { addLogprob(json, into.logprobs, readLogprob(json)); });
}

void readCompletionTop(JsonCursor& json, VllmLogprobs& into, Alternatives& alternatives) {
  into.top.clear();
  into.tokenIds.clear();
  if (json.consumeNull()) return;
  json.array([&] {
    alternatives.clear();
    if (!json.consumeNull()) {
      json.object([&](std::string_view key) {
        const std::int32_t id = tokenIdOf(json, key);
        alternatives.add(json, id, readLogprob(json));
      });
    }
    alternatives.moveTo(into);
  });
}

}  // namespace

VllmLogprobs readVllmLogprobs(JsonCursor& json, std::size_t topWidth, std::span<const std::int32_t> tokenIds) {
  VllmLogprobs logprobs;
  Alternatives alternatives(topWidth, tokenIds);
  json.object([&](std::string_view key) {
    if (key == "content") {
      readContent(json, logprobs, alternatives);
    } else if (key == "tokens") {
      readTokens(json, logprobs);
    } else if (key == "token_logprobs") {
      readTokenLogprobs(json, logprobs);
    } else if (key == "top_logprobs") {
      readCompletionTop(json, logprobs, alternatives);
    } else {
      json.skip();
    }
  });
  return logprobs;
}

}  // namespace rolltape
