#include "flat_top.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "../../base/base64.h"
#include "../../base/error.h"
#include "../reply_count.h"
#include "../token_logprob.h"

namespace rolltape {

namespace {

constexpr std::string_view kPrefix = "output_top_logprobs_";

[[noreturn]] void mismatch(const std::string& what) {
  throw Error(ErrorCode::kReplyMismatch, "output_top_logprobs: " + what);
}

/// Returns false for null.
template <typename T>
bool readArray(JsonCursor& json, std::vector<T>& values) {
  values.clear();
  if (json.consumeNull()) return false;
  std::string decoded;
  const std::string_view text = json.text(decoded);
  const std::optional<std::uint64_t> bytes = decodedLength(text);
  if (!bytes || *bytes % sizeof(T) != 0) json.fail("output_top_logprobs is not base64 of an array");
  values.resize(*bytes / sizeof(T));
  if (!readBase64(text, reinterpret_cast<std::byte*>(values.data()))) json.fail("output_top_logprobs is not base64");
  return true;
}

void requireDtype(JsonCursor& json, std::string_view dtype) {
  if (json.string() != dtype) json.fail("output_top_logprobs has another dtype than " + std::string(dtype));
}

}  // namespace

bool FlatTop::read(JsonCursor& json, std::string_view key) {
  if (!key.starts_with(kPrefix)) return false;
  const std::string_view name = key.substr(kPrefix.size());
  if (name == "val_flat_b64") {
    hasLogprobs_ = readArray(json, logprobs_);
  } else if (name == "idx_flat_b64") {
    hasIds_ = readArray(json, ids_);
  } else if (name == "val_flat_b64_dtype") {
    requireDtype(json, "float32");
  } else if (name == "idx_flat_b64_dtype") {
    requireDtype(json, "int32");
  } else if (name == "shape") {
    shape_.clear();
    json.array([&] { shape_.push_back(readReplyCount(json, "shape").value_or(-1)); });
  } else if (name == "null_prefix") {
    nullPrefix_ = readReplyCount(json, "null_prefix").value_or(0);
  } else {
    return false;
  }
  return true;
}

TopLogprobs FlatTop::take(std::size_t count) {
  // A reply without tokens may have a row.
  if (count == 0) return {};
  if (shape_.size() != 2 || shape_[0] < 0 || shape_[1] < 0) mismatch("the shape is not that of rows");
  const auto rows = static_cast<std::size_t>(shape_[0]);
  const auto width = static_cast<std::size_t>(shape_[1]);
  const auto before = static_cast<std::size_t>(nullPrefix_);
  if (width > kMaxTopWidth) mismatch(std::to_string(width) + " alternatives for a token");
  if (rows > count || rows + before != count) {
    mismatch(std::to_string(rows) + " rows after " + std::to_string(before) + " tokens without, for " +
             std::to_string(count) + " tokens");
  }
  if (ids_.size() != rows * width || logprobs_.size() != rows * width) mismatch("the arrays do not have the shape");
  if (width == 0) return {};
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    float& logprob = logprobs_[i];
    if (isExcluded(logprob)) {
      ids_[i] = TopLogprobs::kUnused;
      logprob = 0;
    } else if (!std::isfinite(logprob)) {
      throw Error(ErrorCode::kReplyNotFinite, "an alternative of output token " + std::to_string(before + i / width) +
                                                  " has a log probability that is not finite");
    } else if (ids_[i] < 0) {
      mismatch("a token id is negative");
    }
  }
  ids_.insert(ids_.begin(), before * width, TopLogprobs::kUnused);
  logprobs_.insert(logprobs_.begin(), before * width, 0.0f);
  return {width, std::move(ids_), std::move(logprobs_)};
}

}  // namespace rolltape
