#pragma once

#include "../json/cursor.h"
#include "engine_reply.h"

namespace rolltape {

/// Reads an engine's `error` member: `{"message": …, "code": 400}` or a string. Without a message, it is empty.
EngineFailure readEngineFailure(JsonCursor& json);

}  // namespace rolltape
