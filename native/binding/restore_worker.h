#pragma once

#include <memory>

#include "promise_worker.h"
#include "restored_tree.h"

namespace rolltape::binding {

class SessionObject;

/// Restores into a new Session on a worker thread, then moves it into the session object on the event loop. Until then,
/// no other thread uses the new Session.
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
