/*
 * Preloaded into a server (LD_PRELOAD) to test the loss of power. It journals the writes to some files that are not synced yet, so that
 * power-loss.ts can take them back once the process is dead.
 *
 * Writes go to the file at once, because LMDB reads it through a memory map. Before a write, the old content of its pages goes to the
 * journal of the file. A sync empties the journal. A write to a descriptor with O_DSYNC marks its own pages as synced, as the kernel does.
 *
 * A sync that fails leaves the old content on disk, but the kernel counts the pages as clean (Linux since 4.13; "fsyncgate"). A later
 * sync succeeds and does not write them. Only pages that are written again reach the disk. The same holds for a write to a descriptor
 * with O_DSYNC that fails.
 *
 *   UNSYNCED_FILES    paths of the files, separated by colons: first that of LMDB, then logs
 *   UNSYNCED_JOURNAL  path of the journals. The journal of the first file ends with .0, and so on
 *   UNSYNCED_FAULT    see faults.h
 *
 * A record: type, offset and end of the pages, size of the file before the write, bytes of old content (5 x uint64), old content.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "faults.h"

/* Pages were written; pages are on disk, except for lost ones; pages that are not on disk now count as clean. */
enum { WRITTEN = 1, SYNCED = 2, LOST = 3 };
static const uint64_t PAGE = 4096;
/* End of the pages in a record about the whole file. */
static const uint64_t END = (uint64_t)1 << 52;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* A journaled file. */
enum { MAX_FILES = 4, LMDB = 0 };
static struct {
  /* Descriptor of its journal. */
  int journal;
  /* True if the journal may have lost pages, which a sync does not write. */
  int has_lost;
} files[MAX_FILES] = {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
/* True if one of the first two pages of LMDB's file was written since its last sync. */
static int has_meta = 0;

static void die(const char *reason) {
  fprintf(stderr, "unsynced-writes: %s: %s\n", reason, strerror(errno));
  abort();
}

/* Writes the path of a descriptor. Returns false if it has none. */
static int find_path(int fd, char target[PATH_MAX]) {
  char link[64];
  int error = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, target, PATH_MAX - 1);
  errno = error;
  if (length < 0) return 0;
  target[length] = 0;
  return 1;
}

/* Returns the number of the journaled file; -1 if the descriptor is of another one. */
static int find_file(int fd) {
  const char *path = getenv("UNSYNCED_FILES");
  char target[PATH_MAX];
  if (!path || fd < 0 || !find_path(fd, target)) return -1;
  size_t length = strlen(target);
  for (int file = 0; file < MAX_FILES; file++) {
    const char *end = strchrnul(path, ':');
    if ((size_t)(end - path) == length && strncmp(path, target, length) == 0) return file;
    if (*end == 0) return -1;
    path = end + 1;
  }
  return -1;
}

static void append(int file, uint64_t type, uint64_t offset, uint64_t end, uint64_t size, const void *old,
                   uint64_t bytes) {
  if (files[file].journal < 0) {
    const char *prefix = getenv("UNSYNCED_JOURNAL");
    char path[PATH_MAX];
    if (!prefix) die("UNSYNCED_JOURNAL is not set");
    snprintf(path, sizeof path, "%s.%d", prefix, file);
    files[file].journal = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (files[file].journal < 0) die(path);
    files[file].has_lost = lseek(files[file].journal, 0, SEEK_END) > 0;
  }
  if (type == LOST) files[file].has_lost = 1;
  uint64_t header[] = {type, offset, end, size, bytes};
  struct iovec parts[] = {{header, sizeof header}, {(void *)old, bytes}};
  ssize_t written = syscall(SYS_writev, files[file].journal, parts, 2);
  if (written != (ssize_t)(sizeof header + bytes)) die("the journal cannot be written");
}

static uint64_t size_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) die("fstat");
  return (uint64_t)status.st_size;
}

/* Journals the pages from `offset` to `end`. The descriptor of a write may not be readable, so this opens the file again. */
static void journal_pages(int file, int fd, uint64_t offset, uint64_t end) {
  uint64_t size = size_of(fd);
  offset = offset / PAGE * PAGE;
  end = (end + PAGE - 1) / PAGE * PAGE;
  uint64_t last = end < size ? end : size;
  uint64_t bytes = offset < last ? last - offset : 0;
  char *old = NULL;
  if (bytes > 0) {
    char path[PATH_MAX];
    int again = find_path(fd, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    old = malloc(bytes);
    if (again < 0 || !old || pread(again, old, bytes, (off_t)offset) != (ssize_t)bytes) die("the file cannot be read");
    close(again);
  }
  append(file, WRITTEN, offset, end, size, old, bytes);
  free(old);
}

static uint64_t sum(const struct iovec *parts, int count) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++) bytes += parts[i].iov_len;
  return bytes;
}

/* Returns where a write without an offset goes. */
static uint64_t position(int fd) {
  return fcntl(fd, F_GETFL) & O_APPEND ? size_of(fd) : (uint64_t)lseek(fd, 0, SEEK_CUR);
}

static void begin(int file, int fd, uint64_t offset, uint64_t bytes) {
  pthread_mutex_lock(&mutex);
  journal_pages(file, fd, offset, offset + bytes);
  if (file == LMDB && offset < 2 * PAGE) has_meta = 1;
}

/* Returns true with `errno` if the test wants this write to fail before it changes the file. */
static int refuses(int file, int fd, uint64_t offset) {
  const char *call = file != LMDB ? "log-write" : offset < 2 * PAGE ? "meta-write" : "write";
  int error = fcntl(fd, F_GETFL) & O_DSYNC ? 0 : take_fault(call);
  if (error) errno = error;
  return error != 0;
}

static ssize_t end(int file, int fd, uint64_t offset, ssize_t written) {
  int error = errno;
  if (written > 0 && fcntl(fd, F_GETFL) & O_DSYNC) {
    uint64_t last = (offset + (uint64_t)written + PAGE - 1) / PAGE * PAGE;
    int fault = take_fault("synced-write");
    append(file, fault ? LOST : SYNCED, offset / PAGE * PAGE, last, size_of(fd), NULL, 0);
    if (fault) {
      error = fault;
      written = -1;
    }
  }
  pthread_mutex_unlock(&mutex);
  errno = error;
  return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  int file = find_file(fd);
  if (file < 0) return syscall(SYS_pwrite64, fd, bytes, count, offset);
  if (refuses(file, fd, (uint64_t)offset)) return -1;
  begin(file, fd, (uint64_t)offset, count);
  return end(file, fd, (uint64_t)offset, syscall(SYS_pwrite64, fd, bytes, count, offset));
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  /* The system call takes the offset in two halves. On 64-bit machines the first one has it all. */
  int file = find_file(fd);
  if (file < 0) return syscall(SYS_pwritev, fd, parts, count, offset, 0L);
  if (refuses(file, fd, (uint64_t)offset)) return -1;
  begin(file, fd, (uint64_t)offset, sum(parts, count));
  return end(file, fd, (uint64_t)offset, syscall(SYS_pwritev, fd, parts, count, offset, 0L));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  int file = find_file(fd);
  if (file < 0) return syscall(SYS_write, fd, bytes, count);
  uint64_t offset = position(fd);
  if (refuses(file, fd, offset)) return -1;
  begin(file, fd, offset, count);
  return end(file, fd, offset, syscall(SYS_write, fd, bytes, count));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  int file = find_file(fd);
  if (file < 0) return syscall(SYS_writev, fd, parts, count);
  uint64_t offset = position(fd);
  if (refuses(file, fd, offset)) return -1;
  begin(file, fd, offset, sum(parts, count));
  return end(file, fd, offset, syscall(SYS_writev, fd, parts, count));
}

int ftruncate64(int fd, off64_t length) {
  int file = find_file(fd);
  if (file < 0) return (int)syscall(SYS_ftruncate, fd, length);
  pthread_mutex_lock(&mutex);
  uint64_t size = size_of(fd);
  uint64_t low = size < (uint64_t)length ? size : (uint64_t)length;
  uint64_t high = size < (uint64_t)length ? (uint64_t)length : size;
  journal_pages(file, fd, low, high);
  int result = (int)syscall(SYS_ftruncate, fd, length);
  int error = errno;
  pthread_mutex_unlock(&mutex);
  errno = error;
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int sync_with(long number, int fd) {
  int file = find_file(fd);
  if (file < 0) return (int)syscall(number, fd);
  pthread_mutex_lock(&mutex);
  int fault = take_fault(file == LMDB ? "sync" : "log-sync");
  if (!fault && file == LMDB && has_meta) fault = take_fault("meta-sync");
  if (file == LMDB) has_meta = 0;
  int result = fault ? -1 : (int)syscall(number, fd);
  int error = fault ? fault : errno;
  if (fault) append(file, LOST, 0, END, size_of(fd), NULL, 0);
  int journal = files[file].journal;
  if (result == 0 && files[file].has_lost) append(file, SYNCED, 0, END, size_of(fd), NULL, 0);
  else if (result == 0 && journal >= 0 && syscall(SYS_ftruncate, journal, 0L) != 0) die("the journal cannot be emptied");
  pthread_mutex_unlock(&mutex);
  errno = error;
  return result;
}

int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }

int fsync(int fd) { return sync_with(SYS_fsync, fd); }

/* Writes through a map would not be seen. */
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
  if ((protection & PROT_WRITE) && (flags & MAP_SHARED) && find_file(fd) >= 0) die("the file is mapped for writing");
  return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap64(address, length, protection, flags, fd, offset);
}
