#pragma once

#include <cstdint>
#include <vector>

#include "../core/session/channel.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// Reads an Int32Array of token ids; none if it is undefined. @throws Error kInvalidArg
std::vector<std::int32_t> tokenIdsArg(Napi::Value value, const char* name);

/// Reads a `Channel` of JavaScript. @throws Error kInvalidArg that names the field
ChannelSpec channelArg(Napi::Value value);

}  // namespace rolltape::binding
