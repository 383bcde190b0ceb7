#pragma once

/// The only include of napi.h, so that every file sees the same settings.
///
/// EXCEPTIONS_ALL: a std::exception that leaves a callback becomes a JavaScript error; without it the process ends.
/// REQUIRE_BASIC_FINALIZERS: a finalizer may run during garbage collection and so must not call JavaScript; what
/// would is a compile error.
/// SWALLOW_UNTHROWABLE: in a worker thread that is being ended no JavaScript error can be thrown any more; trying to
/// would end the process.
#define NAPI_VERSION 8
#define NODE_ADDON_API_CPP_EXCEPTIONS_ALL
#define NODE_ADDON_API_REQUIRE_BASIC_FINALIZERS
#define NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS
#define NODE_ADDON_API_DISABLE_DEPRECATED

#include <napi.h>
