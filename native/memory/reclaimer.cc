#include "reclaimer.h"

#include <utility>

namespace rolltape {

Reclaimer::~Reclaimer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Reclaimer::add(std::shared_ptr<void> object) {
  Objects one;
  one.push_back(std::move(object));
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  objects_.splice(objects_.end(), one);
  changed_.notify_all();
}

void Reclaimer::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return objects_.empty() && !busy_; });
}

void Reclaimer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !objects_.empty(); });
    if (objects_.empty()) return;
    Objects taken = std::exchange(objects_, {});
    busy_ = true;
    lock.unlock();
    taken.clear();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace rolltape
