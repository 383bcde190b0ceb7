#include "send_buffer.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "args.h"
#include "errors.h"

namespace rolltape::binding {

Napi::Value setSendBuffer(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto socket = static_cast<int>(integerArg(info[0], "fd", 0, 1 << 30));
    const auto bytes = static_cast<int>(integerArg(info[1], "bytes", 1, 1 << 30));
    if (setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) != 0) {
      throwInvalid("fd", std::string("a socket: ") + std::strerror(errno));
    }
    return info.Env().Undefined();
  });
}

}  // namespace rolltape::binding
