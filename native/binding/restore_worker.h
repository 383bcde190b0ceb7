#pragma once

#include <memory>

#include "promise_worker.h"
#include "restored_tree.h"

namespace rolltape::binding {

class SessionObject;

/// Restores a session on a worker thread. The session of the object stays empty until the end, so that whatever happens
/// to the object meanwhile, no other thread sees the one that is filled.
class RestoreWorker : public PromiseWorker {
 public:
  /// @param parts the JavaScript values that the views of `stored` belong to
  RestoreWorker(Napi::Env env, SessionObject& session, Napi::Array parts, StoredParts stored);

 private:
  void work() override;
  Napi::Value result() override;

  SessionObject& session_;
  Napi::ObjectReference sessionReference_;
  Napi::ObjectReference partsReference_;
  StoredParts stored_;
  std::unique_ptr<Session> restored_;
  RestoredTree tree_;
};

}  // namespace rolltape::binding
