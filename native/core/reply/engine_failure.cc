#include "engine_failure.h"

#include <cmath>

namespace rolltape {

namespace {

/// Engines write HTTP statuses; servers that imitate OpenAI's put words or null there.
std::optional<std::int32_t> readStatus(JsonCursor& json) {
  constexpr double lowest = 100;
  constexpr double highest = 599;
  const char next = json.peek();
  if (next < '0' || next > '9') {
    json.skip();
    return std::nullopt;
  }
  const double code = json.number();
  if (code < lowest || code > highest || code != std::trunc(code)) return std::nullopt;
  return static_cast<std::int32_t>(code);
}

}  // namespace

EngineFailure readEngineFailure(JsonCursor& json) {
  EngineFailure failure;
  if (json.peek() == '"') {
    failure.message = json.string();
    return failure;
  }
  if (json.peek() != '{') {
    json.skip();
    return failure;
  }
  json.object([&](std::string_view key) {
    if (key == "message" && json.peek() == '"') {
      failure.message = json.string();
    } else if (key == "code") {
      failure.code = readStatus(json);
    } else {
      json.skip();
    }
  });
  return failure;
}

}  // namespace rolltape
