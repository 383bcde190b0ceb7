#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "../core/reply/sglang/reply.h"
#include "../core/reply/vllm/reply.h"
#include "generation_object.h"
#include "held_bytes.h"
#include "promise_worker.h"

namespace rolltape::binding {

/// How a whole reply is read.
struct ReplyReader {
  enum class Format { kSglang, kVllm };

  Format format;
  std::int32_t version;
  /// Alternatives per token, where the format asks for them.
  std::size_t topWidth = 0;
  AskedValues asked = {};

  EngineReply operator()(std::span<const std::uint8_t> body) const {
    return format == Format::kSglang ? readSglangReply(body, version, asked)
                                     : readVllmReply(body, version, topWidth, asked);
  }
};

/// Adds the reply's tokens to a generation, and gives the rest as JavaScript sees it.
Napi::Object addReply(Napi::Env env, EngineReply reply, Generation& into);

/// Reads a whole reply on a worker thread and adds it to a generation on the event loop. Holds the generation and the
/// body, whose bytes it reads in place.
class ReplyWorker : public PromiseWorker {
 public:
  ReplyWorker(GenerationObject& generation, HeldBytes body, ReplyReader reader);

 private:
  void work() override { reply_ = reader_(body_.bytes()); }
  void settle() override { generation_.setReading(false); }
  Napi::Value result() override;

  GenerationObject& generation_;
  Napi::ObjectReference generationReference_;
  HeldBytes body_;
  ReplyReader reader_;
  EngineReply reply_;
};

}  // namespace rolltape::binding
