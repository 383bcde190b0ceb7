#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../core/batch/batch.h"
#include "../memory/heap_block.h"
#include "block_view.h"
#include "metadata_arg.h"
#include "promise_worker.h"

namespace rolltape::binding {

struct PackOptions {
  /// Threads that may write, the worker's own included.
  unsigned threads;
  std::shared_ptr<BlockSource> memory;
  /// From this size on, a batch in heap memory is returned when its first part is written.
  std::uint64_t stagedFrom = std::numeric_limits<std::uint64_t>::max();
};

/// What is left to write of a batch that was returned when its first part was written.
struct UnwrittenRest {
  std::shared_ptr<const Plan> plan;
  BatchLayout layout;
  unsigned threads;
};

/// Writes the rest of a batch, which may be released meanwhile.
class RestWorker : public PromiseWorker {
 public:
  RestWorker(Napi::Env env, UnwrittenRest rest, std::shared_ptr<HeldBlock> held)
      : PromiseWorker(env, "rolltape.packRest"), rest_(std::move(rest)), held_(std::move(held)) {
    held_->isWritten = true;
  }

 private:
  void work() override;
  void settle() override;
  Napi::Value result() override;

  UnwrittenRest rest_;
  std::shared_ptr<HeldBlock> held_;
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
  unsigned threads_ = 1;
  /// Bytes at the start of the block that are written.
  std::uint64_t written_ = 0;
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
