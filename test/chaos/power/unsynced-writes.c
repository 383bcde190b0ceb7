/*
 * Preloaded into a server (LD_PRELOAD) to test the loss of power. It journals the changes to the files of a folder that are not synced
 * yet, so that power-loss.ts can take them back once the process is dead.
 *
 * Writes go to the file at once. Before a write, the old content of its pages goes to a journal of the file. A sync of the file empties
 * the journal. A sync of the folder makes its names durable: those of new, renamed and removed files.
 *
 * A sync that fails leaves the old content on disk, but the kernel counts the pages as clean (Linux since 4.13; "fsyncgate"). A later
 * sync succeeds and does not write them. Only pages that are written again reach the disk.
 *
 *   UNSYNCED_FOLDER   the folder. Its subfolders are not covered
 *   UNSYNCED_JOURNAL  another folder of the same file system, for:
 *     <inode>.file    a link to a covered file, so that it stays if it is removed, and its inode gets no other file
 *     <inode>.pages   its journal
 *     <inode>.lost    exists if the journal may have lost pages, which a sync does not write
 *     names           inode and name of each file whose name is on disk, one per line
 *   UNSYNCED_FAULT    see faults.h
 *
 * A record of a journal: type, offset and end of the pages, size of the file before the write, bytes of old content (5 x uint64), old
 * content.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "faults.h"

/*
 * Types of records. WRITTEN: pages were written. SYNCED: all pages are on disk, except for lost ones. LOST: pages that are not on disk
 * count as clean from now on.
 */
enum { WRITTEN = 1, SYNCED = 2, LOST = 3 };
static const uint64_t PAGE = 4096;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

typedef char Path[PATH_MAX];

/* A covered file, or the folder itself: its name is `.` then. */
typedef struct {
  Path name;
  uint64_t inode;
  uint64_t size;
} File;

static void die(const char *reason) {
  fprintf(stderr, "unsynced-writes: %s: %s\n", reason, strerror(errno));
  abort();
}

static void set_path(Path path, const char *format, ...) {
  va_list values;
  va_start(values, format);
  if (vsnprintf(path, PATH_MAX, format, values) >= PATH_MAX) die("a path is too long");
  va_end(values);
}

static void set_journal_path(Path path, uint64_t inode, const char *kind) {
  set_path(path, "%s/%lu.%s", getenv("UNSYNCED_JOURNAL"), inode, kind);
}

/* Returns false if the descriptor is of another file. Keeps `errno`. */
static int find_file(int fd, File *file) {
  const char *folder = getenv("UNSYNCED_FOLDER");
  Path link, path;
  struct stat status;
  int error = errno;
  set_path(link, "/proc/self/fd/%d", fd);
  ssize_t length = folder ? readlink(link, path, sizeof path - 1) : -1;
  errno = error;
  if (length < 0) return 0;
  path[length] = 0;
  size_t prefix = strlen(folder);
  if (strncmp(path, folder, prefix) != 0 || (path[prefix] != 0 && path[prefix] != '/')) return 0;
  const char *name = path[prefix] == 0 ? "." : path + prefix + 1;
  if (strchr(name, '/') || fstat(fd, &status) != 0 || status.st_nlink == 0) return 0;
  strcpy(file->name, name);
  file->inode = status.st_ino;
  file->size = (uint64_t)status.st_size;
  return 1;
}

static void keep_file(const char *path, uint64_t inode) {
  Path kept;
  set_journal_path(kept, inode, "file");
  if (linkat(AT_FDCWD, path, AT_FDCWD, kept, AT_SYMLINK_FOLLOW) != 0 && errno != EEXIST) die("a file cannot be linked");
}

static void append(const File *file, uint64_t type, uint64_t offset, uint64_t end, const void *old, uint64_t bytes) {
  Path path;
  set_journal_path(path, file->inode, "pages");
  int journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  uint64_t header[] = {type, offset, end, file->size, bytes};
  struct iovec parts[] = {{header, sizeof header}, {(void *)old, bytes}};
  ssize_t written = syscall(SYS_writev, journal, parts, 2);
  if (written != (ssize_t)(sizeof header + bytes)) die("the journal cannot be written");
  close(journal);
}

/* Journals the pages from `offset` to `end`. The descriptor of a write may not be readable, so this opens the file again. */
static void journal_pages(const File *file, int fd, uint64_t offset, uint64_t end) {
  Path path;
  set_path(path, "/proc/self/fd/%d", fd);
  keep_file(path, file->inode);
  offset = offset / PAGE * PAGE;
  end = (end + PAGE - 1) / PAGE * PAGE;
  uint64_t last = end < file->size ? end : file->size;
  uint64_t bytes = offset < last ? last - offset : 0;
  char *old = NULL;
  if (bytes > 0) {
    int again = open(path, O_RDONLY | O_CLOEXEC);
    old = malloc(bytes);
    if (again < 0 || !old || pread(again, old, bytes, (off_t)offset) != (ssize_t)bytes) die("the file cannot be read");
    close(again);
  }
  append(file, WRITTEN, offset, end, old, bytes);
  free(old);
}

/* Ends a call that began with the mutex locked. */
static long finish(long result, int error) {
  pthread_mutex_unlock(&mutex);
  errno = error;
  return result;
}

/* Runs a call that writes. All of them have these arguments; the kernel ignores those that a call does not have. */
static ssize_t write_with(long number, int fd, const void *data, size_t count, off64_t offset) {
  File file;
  if (!find_file(fd, &file)) return syscall(number, fd, data, count, offset, 0L);
  pthread_mutex_lock(&mutex);
  int fault = take_fault("write", file.name);
  if (fault) return finish(-1, fault);
  uint64_t bytes = count;
  if (number == SYS_writev || number == SYS_pwritev) {
    bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += ((const struct iovec *)data)[i].iov_len;
  }
  uint64_t at = (uint64_t)offset;
  if (number == SYS_write || number == SYS_writev) {
    at = fcntl(fd, F_GETFL) & O_APPEND ? file.size : (uint64_t)lseek(fd, 0, SEEK_CUR);
  }
  journal_pages(&file, fd, at, at + bytes);
  ssize_t written = syscall(number, fd, data, count, offset, 0L);
  return finish(written, errno);
}

ssize_t write(int fd, const void *bytes, size_t count) { return write_with(SYS_write, fd, bytes, count, 0); }

ssize_t writev(int fd, const struct iovec *parts, int count) { return write_with(SYS_writev, fd, parts, count, 0); }

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  return write_with(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) { return pwrite64(fd, bytes, count, offset); }

/* The system call takes the offset in two halves. On 64-bit machines the first one has it all. */
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return write_with(SYS_pwritev, fd, parts, count, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return pwritev64(fd, parts, count, offset);
}

int ftruncate64(int fd, off64_t length) {
  File file;
  if (!find_file(fd, &file)) return (int)syscall(SYS_ftruncate, fd, length);
  pthread_mutex_lock(&mutex);
  uint64_t size = (uint64_t)length;
  journal_pages(&file, fd, size < file.size ? size : file.size, size < file.size ? file.size : size);
  int result = (int)syscall(SYS_ftruncate, fd, length);
  return (int)finish(result, errno);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/* Changes the size only: the new space reads as zeros in any case. */
int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  File file;
  if (!find_file(fd, &file)) return (int)syscall(SYS_fallocate, fd, mode, offset, length);
  pthread_mutex_lock(&mutex);
  int fault = take_fault("allocate", file.name);
  if (fault) return (int)finish(-1, fault);
  journal_pages(&file, fd, 0, 0);
  int result = (int)syscall(SYS_fallocate, fd, mode, offset, length);
  return (int)finish(result, errno);
}

int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }

/* Makes the names of the folder's files durable. */
static void note_names(void) {
  Path path, names, next;
  set_path(names, "%s/names", getenv("UNSYNCED_JOURNAL"));
  set_path(next, "%s.next", names);
  FILE *list = fopen(next, "we");
  if (!list) die(next);
  DIR *folder = opendir(getenv("UNSYNCED_FOLDER"));
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    struct stat status;
    set_path(path, "%s/%s", getenv("UNSYNCED_FOLDER"), entry->d_name);
    if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    keep_file(path, status.st_ino);
    fprintf(list, "%lu %s\n", (unsigned long)status.st_ino, entry->d_name);
  }
  if (folder) closedir(folder);
  if (fclose(list) != 0 || rename(next, names) != 0) die("the names cannot be written");
}

/* The names that the first process finds count as durable. */
__attribute__((constructor)) static void begin(void) {
  Path names;
  set_path(names, "%s/names", getenv("UNSYNCED_JOURNAL"));
  if (access(names, F_OK) != 0) note_names();
}

static void note_sync(const File *file, int fails) {
  Path lost, pages;
  set_journal_path(lost, file->inode, "lost");
  set_journal_path(pages, file->inode, "pages");
  if (access(pages, F_OK) != 0) return;
  if (fails) {
    close(open(lost, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    append(file, LOST, 0, 0, NULL, 0);
  } else if (access(lost, F_OK) == 0) {
    append(file, SYNCED, 0, 0, NULL, 0);
  } else if (truncate(pages, 0) != 0) {
    die("a journal cannot be emptied");
  }
}

static int sync_with(long number, int fd) {
  File file;
  if (!find_file(fd, &file)) return (int)syscall(number, fd);
  pthread_mutex_lock(&mutex);
  int fault = take_fault("sync", file.name);
  int result = fault ? -1 : (int)syscall(number, fd);
  int error = fault ? fault : errno;
  int is_folder = strcmp(file.name, ".") == 0;
  if (is_folder && result == 0) note_names();
  if (!is_folder) note_sync(&file, result != 0);
  return (int)finish(result, error);
}

int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }

int fsync(int fd) { return sync_with(SYS_fsync, fd); }
