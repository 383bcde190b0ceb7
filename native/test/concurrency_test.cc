#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "../memory/shared_pool.h"
#include "../memory/warm_pool.h"
#include "forest.h"
#include "memory/shared_support.h"
#include "packed.h"

/// What the event loop and its worker threads do at the same time, each batch compared with what the same plan gave
/// when nothing else ran. A race that leaves the bytes alone is ThreadSanitizer's to find (scripts/native-tsan.sh).

namespace rolltape {
namespace {

const Metadata kMetadata{{"rows", "[]"}};

/// A plan that a worker is to pack, a prompt that it is to read, and what both gave on the thread that records.
struct Job {
  std::shared_ptr<const Plan> plan;
  std::string batch;
  std::string json;
  Prompt prompt;
  std::vector<std::int32_t> promptIds;
};

/// Jobs on their way from the thread that records to those that pack.
class JobQueue {
 public:
  void push(Job job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  /// Nothing when the queue is closed and empty.
  std::optional<Job> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return std::nullopt;
    std::optional<Job> job(std::move(jobs_.front()));
    jobs_.pop_front();
    return job;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

std::string textOf(const Block& block) {
  return {reinterpret_cast<const char*>(block.data()), block.size()};
}

/// A heap pool and a shared pool that are small enough to be used up, trimmed and used again all the time.
class Concurrency : public testing::Test {
 protected:
  static std::string pack(const Plan& plan) { return textOf(test::packed(plan, kMetadata).block); }
  static std::string packText(const Plan& plan) {
    return textOf(test::packedJson(plan, std::vector<std::string>(plan.rows().size() + 1, ",")));
  }

  /// A packing of every layout and style, of the sessions as they are now.
  static Job jobOf(test::Random& random, std::span<const Session* const> sessions) {
    PlanOptions options = test::randomOptions(random);
    options.layout = std::array{Layout::kPadded, Layout::kPacked, Layout::kTree}[random.below(3)];
    if (options.layout == Layout::kTree) {
      options.maxLength = 0;
      options.turns = false;
    }
    auto plan = std::make_shared<const Plan>(sessions, options);
    Prompt prompt = promptOf(random, *sessions[0]);
    std::vector<std::int32_t> promptIds = test::join(prompt.spans());
    std::string batch = pack(*plan);
    std::string json = options.layout == Layout::kTree ? "" : packText(*plan);
    return {std::move(plan), std::move(batch), std::move(json), std::move(prompt), std::move(promptIds)};
  }

  /// Does a job as a worker thread does, in either kind of memory, and sees that it gives the same again.
  void repeat(const Job& job, unsigned seed) {
    test::Random random(seed);
    const BatchLayout layout = layoutBatch(*job.plan, kMetadata);
    BlockSource& memory = random.chance(0.5) ? static_cast<BlockSource&>(*heap_) : *shared_;
    const std::unique_ptr<Block> block = memory.allocate(layout.totalBytes);
    writeBatch(*job.plan, layout, reinterpret_cast<std::byte*>(block->data()), 1 + random.below(3));
    block->publish();
    EXPECT_EQ(job.batch, block->path().empty() ? textOf(*block) : test::readFile(block->path()));
    if (!job.json.empty()) {
      EXPECT_EQ(job.json, packText(*job.plan));
    }
    EXPECT_EQ(job.promptIds, test::join(job.prompt.spans()));
    if (random.chance(0.7)) block->acknowledge();
  }

  /// Threads that do what is in the queue until it is closed.
  std::vector<std::jthread> workers(JobQueue& queue) {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < 3; ++thread) {
      threads.emplace_back([this, &queue, thread] {
        for (unsigned round = 0; const std::optional<Job> job = queue.pop(); ++round) repeat(*job, 7 * round + thread);
      });
    }
    return threads;
  }

  void trim() {
    heap_->trim(WarmPool::Clock::now());
    shared_->trim(SharedPool::Clock::now());
  }

  test::SharedDirectory directory_;
  std::shared_ptr<WarmPool> heap_ = WarmPool::create(
      std::make_shared<HeapSource>(), {.idleBytes = 1 << 16, .idleTime = std::chrono::milliseconds(1), .smallest = 1});
  std::shared_ptr<SharedPool> shared_ = SharedPool::open({.directory = directory_.path(), .maxBytes = 1 << 24});

 private:
  /// A prompt after one of the session's interactions, drawn at random, if it has one.
  static Prompt promptOf(test::Random& random, const Session& session) {
    const std::uint32_t length = static_cast<std::uint32_t>(session.length());
    return length == 0 ? test::promptOf({1, 2}) : test::promptAfter(session, random.below(length), {1, 2});
  }
};

TEST_F(Concurrency, ASessionGrowsWhileItsPlansArePackedAndItsPromptsRead) {
  test::Random random(1);
  test::ModelledSession grown;
  const Session* const session = &grown.session;
  JobQueue queue;
  std::vector<std::jthread> threads = workers(queue);
  for (int step = 0; step < 400; ++step) {
    grown.grow(random);
    if (step % 4 == 0) queue.push(jobOf(random, {&session, 1}));
    if (step % 50 == 0) trim();
  }
  queue.close();
  threads.clear();
  EXPECT_EQ(0u, shared_->use().lentSlots);
}

TEST_F(Concurrency, ASessionMayEndWhileItIsPacked) {
  JobQueue queue;
  std::vector<std::jthread> threads = workers(queue);
  for (unsigned round = 0; round < 60; ++round) {
    test::Random random(round);
    auto grown = std::make_unique<test::ModelledSession>();
    for (int step = 0; step < 20; ++step) grown->grow(random);
    const Session* const session = &grown->session;
    for (int copies = 0; copies < 2; ++copies) queue.push(jobOf(random, {&session, 1}));
  }
  queue.close();
}

TEST_F(Concurrency, OnePlanMayBePackedByManyThreads) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    test::Random random(seed);
    test::ModelledSession grown;
    while (grown.session.length() < 40) grown.grow(random);
    const Session* const session = &grown.session;
    const Job job = jobOf(random, {&session, 1});
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] { repeat(job, seed + thread); });
    }
  }
}

/// The thread that packs holds the last reference to the plan, its columns, and what it names of the session.
TEST_F(Concurrency, APlanMayBeReleasedWhileItIsPacked) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    test::Random random(seed);
    auto grown = std::make_unique<test::ModelledSession>();
    while (grown->session.length() < 40) grown->grow(random);
    grown->leaveOut(random);
    const PlannedSession planned = grown->planned();
    PlanOptions options = test::randomOptions(random);
    options.columns = std::make_shared<const RowColumns>(*test::everyColumn());
    auto plan = std::make_shared<const Plan>(std::span<const PlannedSession>(&planned, 1), options);
    options.columns.reset();
    const std::string expected = pack(*plan);
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([expected, plan] { EXPECT_EQ(expected, pack(*plan)); });
    }
    if (!plan->rows().empty()) {
      for (Plan& shard : plan->shards(1)) {
        threads.emplace_back([shard = std::make_shared<const Plan>(std::move(shard))] { pack(*shard); });
      }
    }
    plan.reset();
    for (int step = 0; step < 20; ++step) grown->grow(random);
    grown.reset();
  }
}

TEST_F(Concurrency, SessionsOfDifferentThreadsShareNothing) {
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      test::Random random(thread);
      for (unsigned round = 0; round < 10; ++round) {
        test::ModelledSession grown;
        for (int step = 0; step < 30; ++step) grown.grow(random);
        const Session* const session = &grown.session;
        repeat(jobOf(random, {&session, 1}), round);
      }
    });
  }
}

TEST_F(Concurrency, PoolsMayCloseWhileTheirBlocksAreWritten) {
  for (unsigned round = 0; round < 20; ++round) {
    auto heap = WarmPool::create(std::make_shared<HeapSource>(), {.smallest = 1});
    auto shared = SharedPool::open({.directory = directory_.path(), .maxBytes = 1 << 20});
    std::vector<std::jthread> threads;
    for (BlockSource* memory : {static_cast<BlockSource*>(heap.get()), static_cast<BlockSource*>(shared.get())}) {
      threads.emplace_back([block = memory->allocate(10'000)]() mutable {
        std::memset(block->data(), 1, block->size());
        block->publish();
        block->acknowledge();
        block.reset();
      });
    }
    shared->close();
    heap.reset();
    shared.reset();
  }
  EXPECT_TRUE(directory_.files(".safetensors").empty());
}

TEST_F(Concurrency, AllocationsThatFailTogetherLeaveNothingLent) {
  std::filesystem::remove_all(directory_.path());
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this] {
      for (int round = 0; round < 100; ++round) EXPECT_CODE(kSharedUnavailable, shared_->allocate(10'000));
    });
  }
  threads.clear();
  EXPECT_EQ(0u, shared_->use().bytes);
  EXPECT_EQ(0u, shared_->use().lentSlots);
}

}  // namespace
}  // namespace rolltape
