#pragma once

#include <cstddef>
#include <new>
#include <string>

#include "args.h"
#include "errors.h"
#include "napi_setup.h"

namespace rolltape::binding {

/// Base of the exported classes. `T` has `kTypeTag`, which identifies its objects, and `kClassName`.
template <typename T>
class Wrapped : public Napi::ObjectWrap<T> {
 public:
  /// @throws Napi::Error kOutOfMemory if there was no memory for the object.
  explicit Wrapped(const Napi::CallbackInfo& info) : Napi::ObjectWrap<T>(info) {
    if (this == spare()) throw makeError(info.Env(), std::bad_alloc());
    info.This().As<Napi::Object>().TypeTag(&T::kTypeTag);
  }

  /// Returns spare() if the allocation fails; the constructor then throws. An exception thrown here instead would reach
  /// JavaScript without a code.
  static void* operator new(std::size_t bytes) {
    void* const memory = ::operator new(bytes, std::nothrow);
    return memory == nullptr ? spare() : memory;
  }
  static void operator delete(void* memory) noexcept {
    if (memory != spare()) ::operator delete(memory);
  }

  /// The native side of an argument. @throws Error kInvalidArg for anything but an object of this class.
  static T& fromArg(Napi::Value value, const std::string& name) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&T::kTypeTag)) {
      throwInvalid(name, std::string("a ") + T::kClassName);
    }
    return *Napi::ObjectWrap<T>::Unwrap(value.As<Napi::Object>());
  }

 protected:
  using Method = Napi::Value (T::*)(const Napi::CallbackInfo&);
  using Getter = Napi::Value (T::*)(const Napi::CallbackInfo&);

  template <Method method>
  static auto guardedMethod(const char* name) {
    return Napi::ObjectWrap<T>::InstanceMethod(name, static_cast<Method>(&Wrapped::template call<method>));
  }
  /// For a method that returns a promise. An exception of the method rejects the promise.
  template <Method method>
  static auto promiseMethod(const char* name) {
    return Napi::ObjectWrap<T>::InstanceMethod(name, static_cast<Method>(&Wrapped::template callForPromise<method>));
  }
  template <Getter getter>
  static auto guardedGetter(const char* name) {
    return Napi::ObjectWrap<T>::InstanceAccessor(name, static_cast<Getter>(&Wrapped::template call<getter>), nullptr);
  }

 private:
  /// Memory for an object that could not be allocated, so that its constructor can run and throw an error with a code.
  /// Without it, a failed allocation would reach JavaScript as an error without a code. Each thread has its own,
  /// because worker threads construct objects too.
  static void* spare() {
    alignas(T) static thread_local std::byte place[sizeof(T)];
    return place;
  }

  template <Method method>
  Napi::Value call(const Napi::CallbackInfo& info) {
    return guarded(info.Env(), [&] { return (static_cast<T*>(this)->*method)(info); });
  }
  template <Method method>
  Napi::Value callForPromise(const Napi::CallbackInfo& info) {
    try {
      return call<method>(info);
    } catch (const Napi::Error& error) {
      const auto deferred = Napi::Promise::Deferred::New(info.Env());
      deferred.Reject(error.Value());
      return deferred.Promise();
    }
  }
};

}  // namespace rolltape::binding
