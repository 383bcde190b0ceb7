#pragma once

#include <memory>

#include "shared_pool.h"

namespace rolltape {

/// A slot of a pool in use, as the pool describes it.
class SharedBlock final : public Block {
 public:
  SharedBlock(std::shared_ptr<SharedPool> pool, std::unique_ptr<SharedSlot> slot)
      : pool_(std::move(pool)), slot_(std::move(slot)) {}
  ~SharedBlock() override;

  std::uint8_t* data() const override { return slot_->data(); }
  std::size_t size() const override { return slot_->size(); }
  BlockKind kind() const override { return BlockKind::kShared; }
  void publish() override;
  std::string path() const override { return published_ ? slot_->path() : std::string(); }
  bool taken() const override { return published_ && !slot_->isOurs(); }
  void acknowledge() override { acknowledged_ = true; }

 private:
  std::shared_ptr<SharedPool> pool_;
  std::unique_ptr<SharedSlot> slot_;
  bool published_ = false;
  bool acknowledged_ = false;
};

}  // namespace rolltape
