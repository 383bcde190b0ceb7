#include "promise_worker.h"

namespace rolltape::binding {

Napi::Promise PromiseWorker::start(PromiseWorker* worker) {
  const Napi::Promise promise = worker->deferred_.Promise();
  worker->Queue();
  return promise;
}

void PromiseWorker::Execute() {
  try {
    work();
  } catch (const std::exception& exception) {
    error_ = toCoreError(exception);
  }
}

void PromiseWorker::OnOK() {
  const Napi::HandleScope scope(Env());
  settle();
  if (error_) {
    deferred_.Reject(makeError(Env(), error_->code(), error_->what()).Value());
    return;
  }
  try {
    deferred_.Resolve(guarded(Env(), [this] { return result(); }));
  } catch (const Napi::Error& error) {
    deferred_.Reject(error.Value());
  }
}

}  // namespace rolltape::binding
