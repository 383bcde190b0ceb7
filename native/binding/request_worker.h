#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../core/session/prompt.h"
#include "../memory/heap_block.h"
#include "generation_object.h"
#include "promise_worker.h"

namespace rolltape::binding {

/// Writes an engine's request body on a worker thread. Holds the prompt, and the partial output, which must stay as it
/// is meanwhile.
class RequestWorker : public PromiseWorker {
 public:
  /// @param partial null: none.
  RequestWorker(Napi::Env env, std::shared_ptr<const Prompt> prompt, GenerationObject* partial, std::string prefix,
                std::string suffix);

 private:
  void work() override;
  void settle() override;
  Napi::Value result() override;

  std::shared_ptr<const Prompt> prompt_;
  GenerationObject* partial_;
  /// Null where there is no partial output.
  const Generation* generation_;
  Napi::ObjectReference partialReference_;
  std::string prefix_;
  std::string suffix_;
  std::optional<HeapBlock> body_;
};

}  // namespace rolltape::binding
