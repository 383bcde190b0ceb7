#include "token_logprob.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "../base/float32.h"
#include "../json/decimal.h"

namespace rolltape {

namespace {

/// The brackets, commas, spaces and the null beside the two numbers.
constexpr std::size_t kPairRoom = 2 * kDecimalRoom;
static_assert(kPairRoom <= RoomyText::kSlack, "a text with slack has room for every pair");

/// Steps over a comma and the space that Python's json writes after it. A branch and not arithmetic: it goes one way
/// for a whole reply, and what is read next need not wait for it.
const char* scanComma(const char* at) {
  if (*at != ',') return nullptr;
  if (at[1] == ' ') [[unlikely]] {
    return at + 2;
  }
  return at + 1;
}

const char* scanNull(const char* at) {
  return std::memcmp(at, "null]", 5) == 0 ? at + 5 : nullptr;
}

/// Reads `[logprob, id, null]` as engines write it, and returns where it ends. Null where anything is unusual.
const char* scanTokenLogprob(const char* at, TokenLogprob& token) {
  if (*at != '[') return nullptr;
  Decimal logprob;
  at = scanDecimal(at + 1, logprob);
  if (at == nullptr || !toFloat32(logprob, token.logprob)) return nullptr;
  at = scanComma(at);
  if (at != nullptr) at = scanUnsigned(at, token.id);
  if (at != nullptr) at = scanComma(at);
  return at == nullptr ? nullptr : scanNull(at);
}

}  // namespace

float readFloat32(JsonCursor& json) {
  json.peek();
  if (json.hasRoom(kDecimalRoom)) {
    Decimal decimal;
    float value = 0;
    const char* end = scanDecimal(json.rest().data(), decimal);
    const bool plain = end != nullptr && (*end == ',' || *end == ']' || *end == '}') && toFloat32(decimal, value);
    if (plain && json.advanceTo(end)) return value;
  }
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (json.consumeNull()) return -infinity;
  const double number = json.number();
  if (std::isnan(number) || fitsFloat32(number)) return static_cast<float>(number);
  return number < 0 ? -infinity : infinity;
}

std::int32_t readTokenId(JsonCursor& json) {
  json.peek();
  std::int32_t id = 0;
  if (json.hasRoom(kDecimalRoom)) {
    const char* end = scanUnsigned(json.rest().data(), id);
    if (end != nullptr && (*end == ',' || *end == ']') && json.advanceTo(end)) return id;
  }
  return static_cast<std::int32_t>(json.integer("a token id", 0, std::numeric_limits<std::int32_t>::max()));
}

bool isExcluded(float logprob) {
  return logprob <= std::numeric_limits<float>::lowest();
}

TokenLogprob readTokenLogprob(JsonCursor& json) {
  json.peek();
  TokenLogprob token;
  if (json.hasRoom(kPairRoom) && json.advanceTo(scanTokenLogprob(json.rest().data(), token))) return token;
  token = {};
  int field = 0;
  json.array([&] {
    if (field == 0) token.logprob = readFloat32(json);
    if (field == 1) token.id = readTokenId(json);
    if (field > 1) json.skip();
    ++field;
  });
  if (field < 2) json.fail("expected [logprob, id, text]");
  return token;
}

}  // namespace rolltape
