#include "scores_worker.h"

#include <span>
#include <utility>

#include "args.h"
#include "buffers.h"
#include "choice_arg.h"
#include "generation_object.h"

namespace rolltape::binding {

ScoresReader scoresReaderArg(Napi::Value value) {
  const Napi::Object asked = objectArg(value, "asked");
  return {.isSglang = choiceArg<bool>(asked.Get("format"), "asked.format", {{"sglang", true}, {"vllm", false}}),
          .first = indexArg(asked.Get("first"), "asked.first"),
          .topWidth = topWidthArg(asked.Get("topLogprobs"))};
}

Napi::Value scoresToJs(Napi::Env env, const std::optional<Scores>& scores) {
  if (!scores) return env.Undefined();
  const Napi::Object object = Napi::Object::New(env);
  object.Set("logprobs", copyToJs(env, std::span<const float>(scores->logprobs)));
  object.Set("topIds", copyToJs(env, std::span<const std::int32_t>(scores->topIds)));
  object.Set("topLogprobs", copyToJs(env, std::span<const float>(scores->topLogprobs)));
  return object;
}

ScoresWorker::ScoresWorker(Napi::Env env, std::shared_ptr<const Prompt> prompt, HeldBytes body, ScoresReader reader)
    : PromiseWorker(env, "rolltape.readScores"), prompt_(std::move(prompt)), body_(std::move(body)), reader_(reader) {}

Napi::Value ScoresWorker::result() {
  body_.requireUntouched();
  return scoresToJs(Env(), scores_);
}

}  // namespace rolltape::binding
