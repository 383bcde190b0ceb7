#include "reply_worker.h"

#include <utility>

#include "reply_to_js.h"

namespace rolltape::binding {

ReplyWorker::ReplyWorker(GenerationObject& generation, HeldBytes body, ReplyReader reader)
    : PromiseWorker(generation.Env(), "rolltape.readReply"),
      generation_(generation),
      generationReference_(Napi::Persistent(generation.Value())),
      body_(std::move(body)),
      reader_(reader) {
  generation.setReading(true);
}

Napi::Value ReplyWorker::result() {
  body_.requireUntouched();
  return addReply(Env(), std::move(reply_), generation_.generation());
}

Napi::Object addReply(Napi::Env env, EngineReply reply, Generation& into) {
  const Napi::Object object = replyToJs(env, reply, reply.tokens.length());
  into.append(std::move(reply.tokens));
  return object;
}

}  // namespace rolltape::binding
