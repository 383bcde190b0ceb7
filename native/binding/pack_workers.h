#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../core/batch/stripe_writer.h"
#include "../memory/heap_block.h"
#include "block_view.h"
#include "metadata_arg.h"
#include "promise_worker.h"
#include "tensors_arg.h"

namespace rolltape::binding {

struct PackOptions {
  /// Threads that may write, the worker's own included.
  unsigned threads;
  std::shared_ptr<BlockSource> memory;
  /// From this size on, a batch in heap memory is returned when its first stripe is written.
  std::uint64_t stripedFrom = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t firstStripe = 0;
};

/// A batch that is written in stripes, with all that its writer refers to except the block.
struct StripedBatch {
  StripedBatch(std::shared_ptr<const Plan> plan, BatchLayout layout, std::byte* block)
      : plan(std::move(plan)), layout(std::move(layout)), writer(*this->plan, this->layout, block) {}
  StripedBatch(const StripedBatch&) = delete;
  StripedBatch& operator=(const StripedBatch&) = delete;

  const std::shared_ptr<const Plan> plan;
  const BatchLayout layout;
  StripeWriter writer;
  /// Bytes at the start of the block that are complete. Unlike the writer, it is only used on the event loop.
  std::uint64_t writtenBytes = 0;
};

/// Writes the next stripe of a batch, which may be released meanwhile.
class StripeWorker : public PromiseWorker {
 public:
  StripeWorker(Napi::Env env, std::shared_ptr<StripedBatch> batch, std::uint64_t bytes, std::shared_ptr<HeldBlock> held)
      : PromiseWorker(env, "rolltape.packStripe"), batch_(std::move(batch)), bytes_(bytes), held_(std::move(held)) {
    held_->isWritten = true;
  }

 private:
  void work() override;
  void settle() override;
  Napi::Value result() override;

  std::shared_ptr<StripedBatch> batch_;
  std::uint64_t bytes_;
  std::shared_ptr<HeldBlock> held_;
};

/// Packs a plan, which it shares, into a NativeBatch.
class PackWorker : public PromiseWorker {
 public:
  PackWorker(Napi::Env env, std::shared_ptr<const Plan> plan, MetadataArg metadata, TensorsArg given,
             const PackOptions& options)
      : PromiseWorker(env, "rolltape.pack"),
        plan_(std::move(plan)),
        metadata_(std::move(metadata)),
        given_(std::move(given)),
        options_(options) {}

 private:
  void work() override;
  Napi::Value result() override;

  std::shared_ptr<const Plan> plan_;
  MetadataArg metadata_;
  TensorsArg given_;
  PackOptions options_;
  std::vector<TensorPlace> tensors_;
  std::unique_ptr<Block> block_;
  /// Null if the whole batch is written.
  std::shared_ptr<StripedBatch> striped_;
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
