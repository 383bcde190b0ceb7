#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "../core/error.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// A JavaScript Error with the code's stable name as its `code`.
Napi::Error makeError(Napi::Env env, ErrorCode code, const std::string& message);

/// The core's error for an exception: itself, or that memory ran out.
Error toCoreError(const std::exception& exception);

/// Runs `body`; what the core throws leaves as a JavaScript error with a code.
template <typename Body>
auto guarded(Napi::Env env, Body body) {
  try {
    return body();
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& exception) {
    const Error error = toCoreError(exception);
    throw makeError(env, error.code(), error.what());
  }
}

}  // namespace rolltape::binding
