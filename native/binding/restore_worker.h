#pragma once

#include <memory>
#include <vector>

#include "held_bytes.h"
#include "promise_worker.h"
#include "restored_tree.h"

namespace rolltape::binding {

class SessionObject;

/// Restores into a new Session on a worker thread, then moves it into the session object on the event loop. Until then,
/// no other thread uses the new Session.
class RestoreWorker : public PromiseWorker {
 public:
  /// @param held the bytes that `stored` has views of
  RestoreWorker(Napi::Env env, SessionObject& session, std::vector<HeldBytes> held, StoredParts stored);

 private:
  void work() override;
  Napi::Value result() override;

  SessionObject& session_;
  Napi::ObjectReference sessionReference_;
  std::vector<HeldBytes> held_;
  StoredParts stored_;
  std::unique_ptr<Session> restored_;
  RestoredTree tree_;
};

}  // namespace rolltape::binding
