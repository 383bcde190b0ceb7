#include "duplicate_file.h"

#include <fcntl.h>

#include <limits>

#include "args.h"
#include "errors.h"

namespace rolltape::binding {

Napi::Value duplicateFile(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const std::int64_t file = integerArg(info[0], "file", 0, std::numeric_limits<int>::max());
    const int copy = ::fcntl(static_cast<int>(file), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throwInvalid("file", "an open file, with room for one more");
    return Napi::Number::New(info.Env(), copy);
  });
}

}  // namespace rolltape::binding
