#pragma once

#include "../core/session/channel.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// Reads a `Channel` of JavaScript. @throws Error kInvalidArg that names the field
ChannelSpec channelArg(Napi::Value value);

}  // namespace rolltape::binding
