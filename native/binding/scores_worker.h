#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "../core/reply/scores.h"
#include "held_bytes.h"
#include "promise_worker.h"

namespace rolltape::binding {

/// How the scores of a prompt's tokens are read from a reply.
struct ScoresReader {
  bool isSglang;
  std::uint32_t first;
  std::size_t topWidth;

  std::optional<Scores> operator()(std::span<const std::uint8_t> body, const Prompt& prompt) const {
    const AskedScores asked(prompt, first, topWidth);
    return isSglang ? readSglangScores(body, asked) : readVllmScores(body, asked);
  }
};

/// The argument `asked` of NativePrompt.readScores. @throws Error kInvalidArg
ScoresReader scoresReaderArg(Napi::Value value);
/// `TokenScores` in JavaScript; undefined for none.
Napi::Value scoresToJs(Napi::Env env, const std::optional<Scores>& scores);

/// Reads scores on a worker thread. Holds the prompt and the body, whose bytes it reads in place.
class ScoresWorker : public PromiseWorker {
 public:
  ScoresWorker(Napi::Env env, std::shared_ptr<const Prompt> prompt, HeldBytes body, ScoresReader reader);

 private:
  void work() override { scores_ = reader_(body_.bytes(), *prompt_); }
  Napi::Value result() override;

  std::shared_ptr<const Prompt> prompt_;
  HeldBytes body_;
  ScoresReader reader_;
  std::optional<Scores> scores_;
};

}  // namespace rolltape::binding
