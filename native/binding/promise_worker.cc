#include "promise_worker.h"

#include "errors.h"

namespace rolltape::binding {

Napi::Promise PromiseWorker::start(PromiseWorker* worker) {
  const Napi::Promise promise = worker->deferred_.Promise();
  worker->Queue();
  return promise;
}

void PromiseWorker::Execute() {
  try {
    work();
  } catch (...) {
    // Not copied: memory may have run out.
    error_ = std::current_exception();
  }
}

void PromiseWorker::OnOK() {
  const Napi::HandleScope scope(Env());
  settle();
  try {
    deferred_.Resolve(guarded(Env(), [this] {
      if (error_) std::rethrow_exception(error_);
      return result();
    }));
  } catch (const Napi::Error& error) {
    deferred_.Reject(error.Value());
  }
}

}  // namespace rolltape::binding
