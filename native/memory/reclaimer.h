#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace rolltape {

/// Destroys objects on a thread of its own, which sleeps otherwise: giving back a gigabyte takes the system a good part
/// of a second, for which no event loop can stand still.
class Reclaimer {
 public:
  Reclaimer() = default;
  /// Waits for all that was handed over.
  ~Reclaimer();
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  /// Destroys the object soon; at once where there is no memory or thread for that.
  template <typename T>
  void destroy(std::unique_ptr<T> object) noexcept {
    try {
      add(std::shared_ptr<void>(std::move(object)));
    } catch (const std::exception&) {
      // The object went with the attempt.
    }
  }
  /// Waits until everything that was handed over before is destroyed.
  void drain();

 private:
  using Objects = std::list<std::shared_ptr<void>>;

  void add(std::shared_ptr<void> object);
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  Objects objects_;
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace rolltape
