#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../core/pack_padded.h"
#include "promise_worker.h"

namespace rolltape::binding {

/// Packs a plan, which it shares, into a NativeBatch.
class PackWorker : public PromiseWorker {
 public:
  PackWorker(Napi::Env env, std::shared_ptr<const Plan> plan, Metadata metadata)
      : PromiseWorker(env, "rolltape.pack"), plan_(std::move(plan)), metadata_(std::move(metadata)) {}

 private:
  void work() override { packed_ = packPadded(*plan_, metadata_); }
  Napi::Value result() override;

  std::shared_ptr<const Plan> plan_;
  Metadata metadata_;
  PackedBlock packed_;
};

/// Packs a plan, which it shares, into JSON text in a Buffer.
class PackJsonWorker : public PromiseWorker {
 public:
  PackJsonWorker(Napi::Env env, std::shared_ptr<const Plan> plan, std::vector<std::string> parts)
      : PromiseWorker(env, "rolltape.packJson"), plan_(std::move(plan)), parts_(std::move(parts)) {}

 private:
  void work() override;
  Napi::Value result() override;

  std::shared_ptr<const Plan> plan_;
  std::vector<std::string> parts_;
  HeapBlock text_;
};

}  // namespace rolltape::binding
