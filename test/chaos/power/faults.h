/*
 * Errors that a test asks for. The file UNSYNCED_FAULT names the next one: call, pattern of file names, error number, and how often.
 * After the last time, the file is removed. The folder itself has the name `.`.
 *
 *   write     writes
 *   allocate  fallocate
 *   sync      fdatasync and fsync
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the error with which this call for a file must fail; 0 if it must not. */
static int take_fault(const char *call, const char *name) {
  const char *path = getenv("UNSYNCED_FAULT");
  if (!path) return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {0};
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  char wanted[16], pattern[64];
  int error, times;
  if (length <= 0 || sscanf(text, "%15s %63s %d %d", wanted, pattern, &error, &times) != 4) return 0;
  if (strcmp(wanted, call) != 0 || fnmatch(pattern, name, 0) != 0) return 0;
  if (times <= 1) {
    unlink(path);
    return error;
  }
  file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  length = snprintf(text, sizeof text, "%s %s %d %d", call, pattern, error, times - 1);
  if (file >= 0 && syscall(SYS_write, file, text, (size_t)length) != length) times = 0;
  close(file);
  return error;
}
