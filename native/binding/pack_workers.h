#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../core/batch/batch.h"
#include "../memory/heap_block.h"
#include "metadata_arg.h"
#include "promise_worker.h"

namespace rolltape::binding {

struct PackOptions {
  /// Threads that may write, the worker's own included.
  unsigned threads;
  std::shared_ptr<BlockSource> memory;
};

/// Packs a plan, which it shares, into a NativeBatch.
class PackWorker : public PromiseWorker {
 public:
  PackWorker(Napi::Env env, std::shared_ptr<const Plan> plan, MetadataArg metadata, const PackOptions& options)
      : PromiseWorker(env, "rolltape.pack"),
        plan_(std::move(plan)),
        metadata_(std::move(metadata)),
        options_(options) {}

 private:
  void work() override;
  Napi::Value result() override;

  std::shared_ptr<const Plan> plan_;
  MetadataArg metadata_;
  PackOptions options_;
  BatchLayout layout_;
  std::unique_ptr<Block> block_;
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
