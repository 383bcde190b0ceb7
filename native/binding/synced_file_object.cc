#include "synced_file_object.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace rolltape::binding {

/// A write, and its error once it has failed.
struct SyncedFileObject::Write {
  std::vector<std::uint8_t> bytes;
  std::uint64_t offset;
  Napi::Promise::Deferred deferred;
  std::optional<Error> error;
};

namespace {

FileDescriptor openFile(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) throwInvalid("path", std::string("a file that can be opened: ") + std::strerror(errno));
  return file;
}

Error systemError(ErrorCode code, const char* what) {
  return Error(code, what + std::string(std::strerror(errno)));
}

/// Writes bytes and waits until they are on disk. Returns the error if that fails.
std::optional<Error> writeSynced(int fd, std::span<const std::uint8_t> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return systemError(ErrorCode::kWriteFailed, "the disk refused a write: ");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  if (fdatasync(fd) != 0) return systemError(ErrorCode::kSyncFailed, "the disk did not confirm a write: ");
  return std::nullopt;
}

}  // namespace

Napi::Function SyncedFileObject::define(Napi::Env env) {
  using Self = SyncedFileObject;
  return DefineClass(env, kClassName, {promiseMethod<&Self::write>("write"), guardedMethod<&Self::release>("release")});
}

SyncedFileObject::SyncedFileObject(const Napi::CallbackInfo& info)
    : Wrapped(info), file_(guarded(info.Env(), [&] { return openFile(utf8Arg(info[0], "path")); })) {
  settled_ = Settled::New(info.Env(), "rolltape.synced-file", 0, 1, this);
  settled_.Unref(info.Env());
  thread_ = std::thread([this] { run(); });
  // Hooks run in reverse order, so the thread ends before the function that it calls.
  napi_add_env_cleanup_hook(info.Env(), endThreadOf, this);
}

SyncedFileObject::~SyncedFileObject() {
  endThread();
  napi_remove_env_cleanup_hook(Env(), endThreadOf, this);
}

Napi::Value SyncedFileObject::write(const Napi::CallbackInfo& info) {
  if (released_) throw Error(ErrorCode::kReleased, "the file was released");
  const auto bytes = bytesArg(info[0], "bytes");
  const auto offset = integerArg(info[1], "offset", 0, std::int64_t{1} << 50);
  auto write = std::make_unique<Write>(Write{.bytes = {bytes.begin(), bytes.end()},
                                             .offset = static_cast<std::uint64_t>(offset),
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

Napi::Value SyncedFileObject::release(const Napi::CallbackInfo& info) {
  endThread();
  file_ = FileDescriptor();
  return info.Env().Undefined();
}

void SyncedFileObject::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return released_ || !queue_.empty(); });
    if (queue_.empty()) break;
    std::unique_ptr<Write> write = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    write->error = writeSynced(file_.get(), write->bytes, write->offset);
    // Fails only if memory ran out. The promise then stays open.
    if (settled_.NonBlockingCall(write.get()) == napi_ok) (void)write.release();
    lock.lock();
  }
  lock.unlock();
  settled_.Release();
}

void SyncedFileObject::endThread() {
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SyncedFileObject::endThreadOf(void* self) {
  static_cast<SyncedFileObject*>(self)->endThread();
}

void SyncedFileObject::settle(Napi::Env env, Napi::Function, SyncedFileObject* self, Write* write) {
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
