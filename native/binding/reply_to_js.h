#pragma once

#include <cstdint>

#include "../core/reply/engine_reply.h"
#include "napi_setup.h"

namespace rolltape::binding {

Napi::Object versionsToJs(Napi::Env env, const NamedVersions& versions);

/// An EngineReply as JavaScript sees it, with how many tokens it brought.
Napi::Object replyToJs(Napi::Env env, const EngineReply& reply, std::uint32_t tokens);

}  // namespace rolltape::binding
