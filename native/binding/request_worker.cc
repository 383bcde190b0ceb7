#include "request_worker.h"

#include <utility>

#include "../core/reply/request_body.h"
#include "buffers.h"

namespace rolltape::binding {

RequestWorker::RequestWorker(Napi::Env env, std::shared_ptr<const Prompt> prompt, GenerationObject* partial,
                             std::string prefix, std::string suffix)
    : PromiseWorker(env, "rolltape.writeRequest"),
      prompt_(std::move(prompt)),
      partial_(partial),
      generation_(partial == nullptr ? nullptr : &partial->generation()),
      prefix_(std::move(prefix)),
      suffix_(std::move(suffix)) {
  if (partial_ == nullptr) return;
  partialReference_ = Napi::Persistent(partial_->Value());
  partial_->setReading(true);
}

void RequestWorker::work() {
  const RequestBody request(prefix_, *prompt_, generation_, suffix_);
  body_.emplace(request.byteLength());
  request.write(reinterpret_cast<char*>(body_->data()));
}

void RequestWorker::settle() {
  if (partial_ != nullptr) partial_->setReading(false);
}

Napi::Value RequestWorker::result() {
  return bufferOf(Env(), std::move(*body_));
}

}  // namespace rolltape::binding
