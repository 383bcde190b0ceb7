#include "../../memory/reclaimer.h"

#include <atomic>
#include <thread>

#include "../support.h"

namespace rolltape {
namespace {

/// Notes the thread on which it ends.
struct Noted {
  explicit Noted(std::atomic<int>& alive, std::thread::id* where = nullptr) : alive(alive), where(where) { ++alive; }
  ~Noted() {
    if (where) *where = std::this_thread::get_id();
    --alive;
  }
  std::atomic<int>& alive;
  std::thread::id* where;
};

TEST(Reclaimer, DestroysOnAThreadOfItsOwn) {
  std::atomic<int> alive = 0;
  std::thread::id where;
  Reclaimer reclaimer;
  reclaimer.drain();
  reclaimer.destroy(std::make_unique<Noted>(alive, &where));
  reclaimer.drain();
  EXPECT_EQ(0, alive);
  EXPECT_NE(std::thread::id(), where);
  EXPECT_NE(std::this_thread::get_id(), where);
}

/// Gives other threads every chance to run while it ends.
struct Slow {
  Slow(std::atomic<bool>& ending, std::atomic<bool>& ended) : ending(ending), ended(ended) {}
  ~Slow() {
    ending = true;
    for (int i = 0; i < 10'000; ++i) std::this_thread::yield();
    ended = true;
  }
  std::atomic<bool>& ending;
  std::atomic<bool>& ended;
};

TEST(Reclaimer, DrainsWhatIsBeingDestroyed) {
  Reclaimer reclaimer;
  std::atomic<bool> ending = false;
  std::atomic<bool> ended = false;
  reclaimer.destroy(std::make_unique<Slow>(ending, ended));
  while (!ending) std::this_thread::yield();
  reclaimer.drain();
  EXPECT_TRUE(ended);
}

/// Hands another object over when it ends.
struct Chained {
  Chained(Reclaimer& reclaimer, std::atomic<int>& alive) : reclaimer(reclaimer), alive(alive) {}
  ~Chained() { reclaimer.destroy(std::make_unique<Noted>(alive)); }
  Reclaimer& reclaimer;
  std::atomic<int>& alive;
};

TEST(Reclaimer, TakesWhatAnObjectHandsOverWhenItEnds) {
  std::atomic<int> alive = 0;
  Reclaimer reclaimer;
  reclaimer.destroy(std::make_unique<Chained>(reclaimer, alive));
  reclaimer.drain();
  EXPECT_EQ(0, alive);
}

TEST(Reclaimer, LeavesNothingWhenItEnds) {
  std::atomic<int> alive = 0;
  {
    Reclaimer reclaimer;
    for (int i = 0; i < 1000; ++i) reclaimer.destroy(std::make_unique<Noted>(alive));
  }
  EXPECT_EQ(0, alive);
}

TEST(Reclaimer, TakesFromManyThreads) {
  std::atomic<int> alive = 0;
  Reclaimer reclaimer;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        reclaimer.destroy(std::make_unique<Noted>(alive));
        if (i % 50 == 0) reclaimer.drain();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  reclaimer.drain();
  EXPECT_EQ(0, alive);
}

}  // namespace
}  // namespace rolltape
