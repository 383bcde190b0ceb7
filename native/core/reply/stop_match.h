#pragma once

#include "../json/cursor.h"
#include "engine_reply.h"

namespace rolltape {

/// Reads what ended a generation, the field `name`: a stop string, a stop token, or something else, which says nothing.
void readStopMatch(JsonCursor& json, const char* name, EngineFinish& finish);

}  // namespace rolltape
