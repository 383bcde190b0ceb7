#include "error_text.h"

namespace rolltape {

std::string readErrorText(JsonCursor& json) {
  std::string text;
  if (json.peek() == '"') return json.string();
  if (json.peek() != '{') {
    json.skip();
    return text;
  }
  json.object([&](std::string_view key) {
    if (key == "message" && json.peek() == '"') {
      text = json.string();
    } else {
      json.skip();
    }
  });
  return text;
}

}  // namespace rolltape
