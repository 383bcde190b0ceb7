#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../json/cursor.h"
#include "../../session/top_logprobs.h"

namespace rolltape {

/// Alternatives as SGLang writes them for `return_flat_raw_output_top_logprobs` with
/// `return_flat_raw_top_logprobs_b64`: members of meta_info with base64 of float32 and int32 arrays of `shape`, rows of
/// equal width. The first tokens of the reply, as many as `null_prefix`, have no row.
class FlatTop {
 public:
  /// Reads the value of a member of meta_info if it is one of these members; otherwise returns false.
  /// @throws kReplyMalformed
  bool read(JsonCursor& json, std::string_view key);
  /// Returns true if the reply has such alternatives.
  bool isPresent() const { return hasIds_ || hasLogprobs_; }
  /// Returns a row for each of `count` tokens. A place whose log probability is that of an excluded token is unused.
  /// @throws kReplyMismatch if the arrays do not have these rows, kReplyNotFinite.
  TopLogprobs take(std::size_t count);

 private:
  bool hasIds_ = false;
  bool hasLogprobs_ = false;
  std::vector<std::int32_t> ids_;
  std::vector<float> logprobs_;
  std::vector<std::int64_t> shape_;
  std::int64_t nullPrefix_ = 0;
};

}  // namespace rolltape
