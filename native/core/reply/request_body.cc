#include "request_body.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "../base/digits.h"
#include "../base/size.h"
#include "../session/sequence.h"

namespace rolltape {

namespace {

constexpr int kMaxDigits = 10;

/// Digits of an id, which is not negative.
std::uint64_t digits(std::int32_t id) {
  constexpr std::int32_t powers[] = {10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
  std::uint64_t count = 1;
  for (const std::int32_t power : powers) count += id >= power;
  return count;
}

/// Writes an id of up to eight digits, and whatever behind it: eight characters in all.
char* writeShortId(char* out, std::int32_t id) {
  const std::uint64_t digits = splitEightDigits(static_cast<std::uint32_t>(id));
  const int zeros = digits == 0 ? 7 : std::countr_zero(digits) / 8;
  storeEightDigits(out, digits >> (8 * zeros));
  return out + 8 - zeros;
}

constexpr std::int32_t kShortIds = 100'000'000;
constexpr std::ptrdiff_t kShortBytes = 8;

/// More than the vocabularies of today have.
constexpr std::int32_t kTabledIds = 1 << 18;

/// Ids with the comma behind them, at most seven characters, lowest byte first; their number is the highest byte.
const std::uint64_t* idTexts() {
  static const std::vector<std::uint64_t> table = [] {
    std::vector<std::uint64_t> words(kTabledIds);
    for (std::int32_t id = 0; id < kTabledIds; ++id) {
      char text[kShortBytes] = {};
      char* end = std::to_chars(text, text + kShortBytes, id).ptr;
      *end++ = ',';
      text[kShortBytes - 1] = static_cast<char>(end - text);
      std::memcpy(&words[static_cast<std::size_t>(id)], text, sizeof text);
    }
    return words;
  }();
  return table.data();
}

int charactersOf(std::uint64_t idText) {
  return static_cast<int>(idText >> 56);
}

}  // namespace

RequestBody::RequestBody(std::string_view prefix, const Prompt& prompt, const Generation* partial,
                         std::string_view suffix, std::uint32_t from)
    : prefix_(prefix), suffix_(suffix), ids_(dropTokens(prompt.spans(), from)) {
  if (partial != nullptr && partial->length() > 0) ids_.push_back(partial->ids());
  const std::uint64_t* texts = idTexts();
  std::uint64_t array = 1;
  for (const TokenSpan span : ids_) {
    for (const std::int32_t id : span) array += id < kTabledIds ? charactersOf(texts[id]) : digits(id) + 1;
  }
  if (array == 1) array = 2;
  byteLength_ = checkedAdd(checkedAdd(prefix.size(), suffix.size()), array);
  requireBlockSize(byteLength_);
}

void RequestBody::write(char* out) const {
  const char* arrayEnd = out + (byteLength_ - suffix_.size());
  out = std::copy(prefix_.begin(), prefix_.end(), out);
  *out++ = '[';
  char* const first = out;
  const std::uint64_t* texts = idTexts();
  for (const TokenSpan span : ids_) {
    for (const std::int32_t id : span) {
      const bool hasRoom = arrayEnd - out >= kShortBytes;
      if (id < kTabledIds && hasRoom) {
        std::memcpy(out, &texts[id], kShortBytes);
        out += charactersOf(texts[id]);
        continue;
      }
      out = id < kShortIds && hasRoom ? writeShortId(out, id) : std::to_chars(out, out + kMaxDigits, id).ptr;
      *out++ = ',';
    }
  }
  // In the place of the last comma.
  if (out > first) --out;
  *out++ = ']';
  std::copy(suffix_.begin(), suffix_.end(), out);
}

}  // namespace rolltape
