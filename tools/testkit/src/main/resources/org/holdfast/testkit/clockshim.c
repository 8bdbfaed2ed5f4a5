// SPDX-License-Identifier: Apache-2.0
//
// Moves the wall clock of one process, and leaves its monotonic clock alone. Preloaded into the process, it answers for the
// C library's functions that read CLOCK_REALTIME: it asks the kernel itself and adds an offset, a 64-bit number of
// milliseconds at the beginning of the file that the environment variable HOLDFAST_CLOCK_OFFSET names. The file is mapped, so
// that a test moves the clock of the running process by writing to it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_millis;

__attribute__((constructor)) static void map_offset(void) {
  int before = errno;
  const char *path = getenv("HOLDFAST_CLOCK_OFFSET");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) {
    void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) {
      offset_millis = mapped;
    }
    close(file);
  }
  errno = before;
}

static int moved(clockid_t clock, struct timespec *now) {
  int result = (int) syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && offset_millis) {
    int64_t millis = *offset_millis;
    now->tv_sec += millis / 1000;
    now->tv_nsec += millis % 1000 * 1000000;
    if (now->tv_nsec < 0) {
      now->tv_nsec += 1000000000;
      now->tv_sec--;
    } else if (now->tv_nsec >= 1000000000) {
      now->tv_nsec -= 1000000000;
      now->tv_sec++;
    }
  }
  return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    return moved(clock, now);
  }
  return (int) syscall(SYS_clock_gettime, clock, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void) zone;
  struct timespec precise;
  int result = moved(CLOCK_REALTIME, &precise);
  if (result == 0 && now) {
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *now) {
  struct timespec precise;
  if (moved(CLOCK_REALTIME, &precise) != 0) {
    return (time_t) -1;
  }
  if (now) {
    *now = precise.tv_sec;
  }
  return precise.tv_sec;
}
