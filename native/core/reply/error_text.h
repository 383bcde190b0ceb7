#pragma once

#include <string>

#include "../json/cursor.h"

namespace rolltape {

/// The message of an engine's `error` member: `{"message": …}` or a string; empty where it has none.
std::string readErrorText(JsonCursor& json);

}  // namespace rolltape
