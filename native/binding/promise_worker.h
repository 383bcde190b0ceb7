#pragma once

#include <exception>

#include "napi_setup.h"

namespace rolltape::binding {

/// Work off the event loop whose outcome is a promise. Deletes itself when it is done.
class PromiseWorker : public Napi::AsyncWorker {
 public:
  /// Starts `worker`, which must come from `new`, and returns its promise.
  static Napi::Promise start(PromiseWorker* worker);

 protected:
  PromiseWorker(Napi::Env env, const char* name) : AsyncWorker(env, name), deferred_(env) {}

  /// On a worker thread: must not touch JavaScript.
  virtual void work() = 0;
  /// On the event loop, when the work is done, however it ended.
  virtual void settle() {}
  /// On the event loop, after settle(): what the promise resolves with.
  virtual Napi::Value result() = 0;

 private:
  void Execute() final;
  void OnOK() final;

  Napi::Promise::Deferred deferred_;
  std::exception_ptr error_;
};

}  // namespace rolltape::binding
