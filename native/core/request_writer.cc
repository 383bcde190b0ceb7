#include "request_writer.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "digits.h"
#include "size.h"

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

}  // namespace

RequestBody::RequestBody(std::string_view prefix, const Prompt& prompt, const Generation* partial,
                         std::string_view suffix)
    : prefix_(prefix), suffix_(suffix), ids_(prompt.spans()) {
  if (partial != nullptr && partial->length() > 0) ids_.push_back(partial->ids());
  std::uint64_t array = 2;
  std::uint64_t count = 0;
  for (const TokenSpan span : ids_) {
    for (const std::int32_t id : span) array += digits(id);
    count += span.size();
  }
  if (count > 1) array += count - 1;
  byteLength_ = checkedAdd(checkedAdd(prefix.size(), suffix.size()), array);
  requireBlockSize(byteLength_);
}

void RequestBody::write(char* out) const {
  const char* arrayEnd = out + (byteLength_ - suffix_.size());
  out = std::copy(prefix_.begin(), prefix_.end(), out);
  *out++ = '[';
  bool first = true;
  for (const TokenSpan span : ids_) {
    for (const std::int32_t id : span) {
      if (!first) *out++ = ',';
      first = false;
      const bool isShort = id < kShortIds && arrayEnd - out >= kShortBytes;
      out = isShort ? writeShortId(out, id) : std::to_chars(out, out + kMaxDigits, id).ptr;
    }
  }
  *out++ = ']';
  std::copy(suffix_.begin(), suffix_.end(), out);
}

}  // namespace rolltape
