/*
 * wake.h: how one thread wakes another, which polls an eventfd.
 *
 * Threads: any.
 */
#ifndef SERVER_BASE_WAKE_H
#define SERVER_BASE_WAKE_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#define SV_WAKE_TRIES 8

/*
 * Wakes the thread that waits for the event file.  A failed write is repeated, because a lost wake
 * could make the thread wait for ever.  EAGAIN means that a wake is already pending.
 */
static inline void
sv_wake(int fd)
{
    uint64_t one = 1;
    int tries = 0;
    while (write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN && ++tries < SV_WAKE_TRIES) {
    }
}

#endif
