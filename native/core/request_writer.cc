#include "request_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "digits.h"
#include "size.h"

namespace rolltape {

namespace {

constexpr int kMaxDigits = 10;

/// Digits of an id, which is not negative. The table has an addend for each bit width: the sum's upper half is the
/// number of digits, by a carry where the id is at or above a power of ten.
std::uint64_t digits(std::int32_t id) {
  constexpr auto kTable = [] {
    std::array<std::uint64_t, 32> table{};
    std::uint64_t count = 1;
    std::uint64_t power = 10;
    for (int bits = 0; bits < 32; ++bits) {
      const std::uint64_t low = std::uint64_t{1} << bits;
      const std::uint64_t high = 2 * low - 1;
      while (power <= low) power *= 10, ++count;
      table[bits] = power <= high ? ((count + 1) << 32) - power : count << 32;
    }
    return table;
  }();
  const auto value = static_cast<std::uint32_t>(id);
  return (value + kTable[std::bit_width(value | 1) - 1]) >> 32;
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
