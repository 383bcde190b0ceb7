#include "checksum.h"

#include <limits>

#include "../core/base/crc32c.h"
#include "args.h"
#include "errors.h"

namespace rolltape::binding {

Napi::Value computeCrc32c(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    constexpr std::uint32_t kHighest = std::numeric_limits<std::uint32_t>::max();
    const std::int64_t seed = info[1].IsUndefined() ? 0 : integerArg(info[1], "seed", 0, kHighest);
    const std::uint32_t checksum = crc32c(bytesArg(info[0], "bytes"), static_cast<std::uint32_t>(seed));
    return Napi::Number::New(info.Env(), checksum);
  });
}

}  // namespace rolltape::binding
