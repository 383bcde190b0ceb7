#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "../core/base/error.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// The JavaScript error for an exception: the core's with its code's stable name as its `code`; for any other, that
/// memory ran out. Needs no memory but the engine's own.
Napi::Error makeError(Napi::Env env, const std::exception& exception);

/// Runs `body`; what the core throws leaves as a JavaScript error with a code.
template <typename Body>
auto guarded(Napi::Env env, Body body) {
  try {
    return body();
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& exception) {
    throw makeError(env, exception);
  }
}

}  // namespace rolltape::binding
