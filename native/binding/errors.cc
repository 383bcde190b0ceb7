#include "errors.h"

namespace rolltape::binding {

namespace {

Napi::Error codedError(Napi::Env env, ErrorCode code, const char* message) {
  Napi::Error error = Napi::Error::New(env, message);
  // A napi_value: a Napi::String would be read and made anew.
  error.Value().Set("code", static_cast<napi_value>(Napi::String::New(env, errorCodeName(code))));
  return error;
}

}  // namespace

Napi::Error makeError(Napi::Env env, const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return codedError(env, error->code(), error->what());
  // Besides the core's own, only the standard library throws here: bad_alloc, and length_error for a size that no
  // container can have.
  return codedError(env, ErrorCode::kOutOfMemory, "memory ran out");
}

}  // namespace rolltape::binding
