#include "reply_worker.h"

#include <utility>

#include "reply_to_js.h"

namespace rolltape::binding {

ReplyWorker::ReplyWorker(GenerationObject& generation, Napi::Uint8Array body, ReplyReader reader)
    : PromiseWorker(body.Env(), "rolltape.readReply"),
      generation_(generation),
      generationReference_(Napi::Persistent(generation.Value())),
      bodyReference_(Napi::Persistent(body.As<Napi::Object>())),
      bytes_(body.Data(), body.ElementLength()),
      reader_(reader) {
  generation.setReading(true);
}

Napi::Value ReplyWorker::result() {
  return addReply(Env(), std::move(reply_), generation_.generation());
}

Napi::Object addReply(Napi::Env env, EngineReply reply, Generation& into) {
  const Napi::Object object = replyToJs(env, reply, reply.tokens.length());
  into.append(std::move(reply.tokens));
  return object;
}

}  // namespace rolltape::binding
