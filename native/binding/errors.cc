#include "errors.h"

namespace rolltape::binding {

Napi::Error makeError(Napi::Env env, ErrorCode code, const std::string& message) {
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", Napi::String::New(env, errorCodeName(code)));
  return error;
}

Error toCoreError(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  // Besides the core's own, only the standard library throws here: bad_alloc, and length_error for a size that no
  // container can have.
  return Error(ErrorCode::kOutOfMemory, std::string("memory ran out: ") + exception.what());
}

}  // namespace rolltape::binding
