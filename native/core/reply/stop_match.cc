#include "stop_match.h"

#include "reply_count.h"

namespace rolltape {

void readStopMatch(JsonCursor& json, const char* name, EngineFinish& finish) {
  finish.matched = std::monostate{};
  const char first = json.peek();
  if (first == '"') {
    finish.matched = json.string();
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    finish.matched = json.integer(name, -kMaxReplyCount, kMaxReplyCount);
  } else {
    json.skip();
  }
}

}  // namespace rolltape
