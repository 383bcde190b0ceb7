#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "../session/generation.h"
#include "../session/prompt.h"

namespace rolltape {

/// A JSON request body: `prefix`, the ids of the prompt and of `partial` (null: none) as a JSON array, `suffix`.
class RequestBody {
 public:
  /// @param from number of the prompt's first ids that are left out
  RequestBody(std::string_view prefix, const Prompt& prompt, const Generation* partial, std::string_view suffix,
              std::uint32_t from = 0);

  std::uint64_t byteLength() const { return byteLength_; }
  /// Writes byteLength() bytes.
  void write(char* out) const;

 private:
  std::string_view prefix_;
  std::string_view suffix_;
  std::vector<TokenSpan> ids_;
  std::uint64_t byteLength_;
};

}  // namespace rolltape
