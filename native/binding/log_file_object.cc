#include "log_file_object.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../core/base/size.h"
#include "../core/log/record.h"

namespace rolltape::binding {

/// A record to write, and the error if that failed.
struct LogFileObject::Write {
  LogRecord record;
  RecordPlace place;
  std::uint64_t at;
  Napi::Promise::Deferred deferred;
  std::optional<Error> error;
};

namespace {

/// Disk space is reserved in steps of this size.
constexpr std::uint64_t kGrowthBytes = std::uint64_t{1} << 20;
/// After records up to this size, zeros are written for the next records to overwrite. The first write to a block also
/// changes the metadata of the file, which costs more than the bytes of a small record.
constexpr std::size_t kSmallRecordBytes = std::size_t{1} << 15;
/// Number of zeros after the first small record. It doubles each time small records have overwritten all of them. A
/// large record resets it, because zeros before large records are wasted.
constexpr std::uint64_t kFirstZeroBytes = std::uint64_t{1} << 13;
constexpr std::uint64_t kMaxZeroBytes = std::uint64_t{1} << 18;
/// Value of `allocated_` if the file system cannot reserve space.
constexpr std::uint64_t kAnySpace = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kMaxSafeInteger = (std::int64_t{1} << 53) - 1;

FileDescriptor openFile(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) throwInvalid("path", std::string("a file that can be opened: ") + std::strerror(errno));
  struct stat status {};
  // An existing file may be a copy that others can read.
  if (fstat(file.get(), &status) != 0 || (S_ISREG(status.st_mode) && fchmod(file.get(), 0600) != 0)) {
    throwInvalid("path", std::string("a file whose mode can be set: ") + std::strerror(errno));
  }
  return file;
}

std::uint64_t sizeOf(const FileDescriptor& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::array<std::uint8_t, 8> logArg(Napi::Value value) {
  const std::span<const std::uint8_t> bytes = bytesArg(value, "log");
  std::array<std::uint8_t, 8> log;
  if (bytes.size() != log.size()) throwInvalid("log", "an id of 8 bytes");
  std::copy(bytes.begin(), bytes.end(), log.begin());
  return log;
}

std::uint64_t unsignedArg(Napi::Object object, const char* name, std::int64_t highest = kMaxSafeInteger) {
  return static_cast<std::uint64_t>(integerArg(object.Get(name), name, 0, highest));
}

LogRecord recordArg(const Napi::CallbackInfo& info) {
  const std::vector<Napi::Value> keys = itemsOf(arrayArg(info[2], "keys"));
  const std::vector<Napi::Value> values = itemsOf(arrayArg(info[3], "values"));
  const std::span<const std::uint8_t> tables = bytesArg(info[1], "tables");
  if (keys.size() != tables.size() || values.size() != tables.size()) {
    throwInvalid("tables", "as many items as keys and values");
  }
  std::vector<LogChange> changes(tables.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i] = {.table = tables[i], .key = bytesArg(keys[i], "keys"), .value = std::nullopt};
    if (!values[i].IsUndefined()) changes[i].value = bytesArg(values[i], "values");
  }
  return LogRecord(changes);
}

Error systemError(ErrorCode code, const char* what) {
  return Error(code, what + std::string(std::strerror(errno)));
}

Error refusedWrite() {
  return systemError(ErrorCode::kWriteFailed, "the disk refused a write: ");
}

/// Reserves disk space. Returns false if that is not possible; `errno` says why.
bool reserve([[maybe_unused]] const FileDescriptor& file, [[maybe_unused]] std::uint64_t at,
             [[maybe_unused]] std::uint64_t bytes) {
#ifdef __linux__
  return fallocate(file.get(), 0, static_cast<off_t>(at), static_cast<off_t>(bytes)) == 0;
#else
  errno = EOPNOTSUPP;
  return false;
#endif
}

/// Returns how many bytes were written. If that is less than all, the disk refuses the rest, and `errno` says why.
std::size_t writeAll(const FileDescriptor& file, std::span<const std::uint8_t> bytes, std::uint64_t at) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = pwrite(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

}  // namespace

Napi::Function LogFileObject::define(Napi::Env env) {
  using Self = LogFileObject;
  return DefineClass(env, kClassName,
                     {promiseMethod<&Self::append>("append"), guardedMethod<&Self::release>("release")});
}

LogFileObject::LogFileObject(const Napi::CallbackInfo& info) : Wrapped(info) {
  guarded(info.Env(), [&] {
    const Napi::Object options = objectArg(info[1], "options");
    log_ = logArg(options.Get("log"));
    segment_ = unsignedArg(options, "segment");
    synced_ = booleanArg(options.Get("synced"), "synced");
    file_ = openFile(utf8Arg(info[0], "path"));
    allocated_ = sizeOf(file_);
    written_ = allocated_;
    zeroBytes_ = kFirstZeroBytes;
  });
  settled_ = Settled::New(info.Env(), "rolltape.log-file", 0, 1, this);
  settled_.Unref(info.Env());
  thread_ = std::thread([this] { run(); });
  // Hooks run in reverse order, so the thread ends before the function that it calls.
  napi_add_env_cleanup_hook(info.Env(), endThreadOf, this);
}

LogFileObject::~LogFileObject() {
  endThread();
  napi_remove_env_cleanup_hook(Env(), endThreadOf, this);
}

Napi::Value LogFileObject::append(const Napi::CallbackInfo& info) {
  if (released_) throw Error(ErrorCode::kReleased, "the file was released");
  const Napi::Object place = objectArg(info[0], "place");
  const std::uint64_t at = unsignedArg(place, "at", std::int64_t{1} << 50);
  const std::uint64_t number = unsignedArg(place, "number", std::numeric_limits<std::uint32_t>::max());
  const std::uint64_t before = unsignedArg(place, "before");
  auto write = std::make_unique<Write>(
      Write{.record = recordArg(info),
            .place = {.log = log_, .segment = segment_, .before = before, .number = static_cast<std::uint32_t>(number)},
            .at = at,
            .deferred = Napi::Promise::Deferred::New(info.Env()),
            .error = std::nullopt});
  const Napi::Promise promise = write->deferred.Promise();
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(write));
  }
  changed_.notify_one();
  if (open_++ == 0) {
    Ref();
    settled_.Ref(info.Env());
  }
  return promise;
}

Napi::Value LogFileObject::release(const Napi::CallbackInfo& info) {
  endThread();
  file_ = FileDescriptor();
  return info.Env().Undefined();
}

void LogFileObject::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return released_ || !queue_.empty(); });
    if (queue_.empty()) break;
    std::unique_ptr<Write> write = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    write->error = perform(*write);
    // Fails only if memory ran out. The promise then stays open.
    if (settled_.NonBlockingCall(write.get()) == napi_ok) (void)write.release();
    lock.lock();
  }
  lock.unlock();
  settled_.Release();
}

std::optional<Error> LogFileObject::perform(Write& write) {
  write.record.seal(write.place);
  const std::span<const std::uint8_t> bytes = write.record.bytes();
  const std::uint64_t end = write.at + bytes.size();
  if (auto error = allocate(end)) return error;
  const std::size_t done = writeAll(file_, bytes, write.at);
  if (done < bytes.size()) {
    Error refused = refusedWrite();
    if (done == 0 || cutOff(write.at)) return refused;
    return Error(ErrorCode::kSyncFailed, refused.what());
  }
  const bool isSmall = bytes.size() <= kSmallRecordBytes;
  if (!isSmall) zeroBytes_ = kFirstZeroBytes;
  if (end > written_) {
    written_ = end;
    if (synced_ && isSmall) writeZeros();
  }
  if (synced_ && fdatasync(file_.get()) != 0) {
    return systemError(ErrorCode::kSyncFailed, "the disk did not confirm a write: ");
  }
  return std::nullopt;
}

bool LogFileObject::cutOff(std::uint64_t end) {
  if (ftruncate(file_.get(), static_cast<off_t>(end)) != 0) return false;
  written_ = end;
  if (allocated_ != kAnySpace) allocated_ = end;
  return true;
}

void LogFileObject::writeZeros() {
  static constexpr std::array<std::uint8_t, kMaxZeroBytes> kZeros{};
  const std::uint64_t end = std::min(written_ + zeroBytes_, allocated_);
  // If the disk refuses them, the next record fails and reports why.
  const std::size_t bytes = end - written_;
  if (writeAll(file_, std::span(kZeros).first(bytes), written_) == bytes) written_ = end;
  zeroBytes_ = std::min(2 * zeroBytes_, kMaxZeroBytes);
}

std::optional<Error> LogFileObject::allocate(std::uint64_t end) {
  while (end > allocated_) {
    const std::uint64_t step = checkedRoundUp(end - allocated_, kGrowthBytes);
    if (reserve(file_, allocated_, step)) {
      allocated_ += step;
    } else if (errno == ENOSPC || errno == EDQUOT) {
      return refusedWrite();
    } else if (errno != EINTR) {
      // Not every file system can do this. The writes then show whether there is space.
      allocated_ = kAnySpace;
    }
  }
  return std::nullopt;
}

void LogFileObject::endThread() {
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LogFileObject::endThreadOf(void* self) {
  static_cast<LogFileObject*>(self)->endThread();
}

void LogFileObject::settle(Napi::Env env, Napi::Function, LogFileObject* self, Write* write) {
  const std::unique_ptr<Write> owned(write);
  // The process is ending, and the object may be gone.
  if (env == nullptr) return;
  if (--self->open_ == 0) {
    self->settled_.Unref(env);
    self->Unref();
  }
  if (owned->error)
    owned->deferred.Reject(makeError(env, *owned->error).Value());
  else
    owned->deferred.Resolve(env.Undefined());
}

}  // namespace rolltape::binding
