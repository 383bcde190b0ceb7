#include "restore_worker.h"

#include <utility>

#include "session_object.h"

namespace rolltape::binding {

RestoreWorker::RestoreWorker(Napi::Env env, SessionObject& session, std::vector<HeldBytes> held, StoredParts stored)
    : PromiseWorker(env, "rolltape.restore"),
      session_(session),
      sessionReference_(Napi::Persistent(session.Value())),
      held_(std::move(held)),
      stored_(std::move(stored)),
      restored_(std::make_unique<Session>(session.session().digestKey())) {}

void RestoreWorker::work() {
  tree_ = restoreParts(*restored_, stored_);
}

Napi::Value RestoreWorker::result() {
  for (const HeldBytes& part : held_) part.requireUntouched();
  const Napi::Object tree = tree_.toJs(Env());
  session_.adopt(std::move(restored_));
  return tree;
}

}  // namespace rolltape::binding
