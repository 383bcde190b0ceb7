#pragma once

#include "../core/sglang_reply.h"
#include "generation_object.h"
#include "promise_worker.h"

namespace rolltape::binding {

/// An EngineReply as JavaScript sees it.
Napi::Object replyToJs(Napi::Env env, const EngineReply& reply);

/// Reads a SGLang reply on a worker thread and adds it to a generation on the event loop. Holds the generation and the
/// body, whose bytes it reads in place.
class ReplyWorker : public PromiseWorker {
 public:
  ReplyWorker(GenerationObject& generation, Napi::Uint8Array body, std::int32_t version);

 private:
  void work() override { reply_ = readSglangReply(bytes_, version_); }
  void settle() override { generation_.setReading(false); }
  Napi::Value result() override;

  GenerationObject& generation_;
  Napi::ObjectReference generationReference_;
  Napi::ObjectReference bodyReference_;
  std::span<const std::uint8_t> bytes_;
  std::int32_t version_;
  EngineReply reply_;
};

}  // namespace rolltape::binding
