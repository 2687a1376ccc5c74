#include "server/base/log.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/base/rate.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 1024

#define X(NAME, name) name,
static const char *const level_names[] = {SV_LOG_TABLE(X)};
#undef X

/*
 * Writes a line to standard error without waiting.  If it is full, because nobody reads the pipe or
 * the terminal is stopped, the line is dropped and counted.  A pipe that is ready takes a line of
 * this size completely (PIPE_BUF).
 */
static void
write_stderr(void *context, const char *line, size_t size)
{
    struct sv_log *log = context;
    struct pollfd error = {.fd = STDERR_FILENO, .events = POLLOUT};
    while (size > 0) {
        int ready = poll(&error, 1, 0);
        bool has_room = ready == 1 && (error.revents & POLLOUT) != 0;
        ssize_t part = has_room ? write(STDERR_FILENO, line, size) : -1;
        if (part > 0) {
            line += part;
            size -= (size_t)part;
        } else if ((has_room || ready < 0) && errno == EINTR) {
            continue; /* a signal interrupted the call: try again */
        } else {
            atomic_fetch_add(&log->dropped, 1);
            return;
        }
    }
}

void
sv_log_init(struct sv_log *log, enum sv_log_level level, struct sv_clock clock)
{
    log->level = level;
    log->clock = clock;
    log->write = write_stderr;
    log->is_dated = false;
    log->context = log;
    atomic_init(&log->arrival_ns, 0);
    atomic_init(&log->dropped, 0);
}

bool
sv_log_wants_date(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    struct stat about;
    uintmax_t device, inode;
    if (stream == NULL || sscanf(stream, "%" SCNuMAX ":%" SCNuMAX, &device, &inode) != 2 ||
        fstat(STDERR_FILENO, &about) != 0) {
        return true;
    }
    return device != (uintmax_t)about.st_dev || inode != (uintmax_t)about.st_ino;
}

/* Writes "2026-11-23T08:36:03.214Z "; returns its length, 0 if the clock has no date. */
static int
print_date(const struct sv_log *log, char *line, size_t size)
{
    int64_t wall_ms = sv_clock_wall_ms(&log->clock);
    time_t wall_s = (time_t)(wall_ms / 1000);
    struct tm date;
    if (wall_ms < 0 || gmtime_r(&wall_s, &date) == NULL) {
        return 0;
    }
    size_t used = strftime(line, size, "%Y-%m-%dT%H:%M:%S", &date);
    return (int)used + snprintf(line + used, size - used, ".%03dZ ", (int)(wall_ms % 1000));
}

static bool
admit_line(struct sv_log *log)
{
    uint64_t now_ns = sv_clock_now_ns(&log->clock);
    uint64_t seen = atomic_load(&log->arrival_ns);
    struct sv_rate rate;
    do {
        rate.arrival_ns = seen;
        if (!sv_rate_take(&rate, now_ns, SV_NS_PER_S / SV_LOG_RATE, SV_LOG_BURST)) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&log->arrival_ns, &seen, rate.arrival_ns));
    return true;
}

void
sv_log(struct sv_log *log, enum sv_log_level level, const char *format, ...)
{
    CN_ASSERT(level < SV_LOG_LEVEL_COUNT);
    if (level > log->level) {
        return;
    }
    if (!admit_line(log)) {
        atomic_fetch_add(&log->dropped, 1);
        return;
    }
    char line[LINE_SIZE];
    int used = log->is_dated ? print_date(log, line, sizeof(line)) : 0;
    used += snprintf(
        line + used, sizeof(line) - (size_t)used, "cairnd: %s: ", level_names[level]);
    unsigned dropped = atomic_exchange(&log->dropped, 0);
    CN_ASSERT(used > 0 && (size_t)used < sizeof(line));
    if (dropped > 0) {
        used += snprintf(
            line + used, sizeof(line) - (size_t)used, "(%u lines left out) ", dropped);
    }
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + used, sizeof(line) - (size_t)used - 1, format, arguments);
    va_end(arguments);
    size_t size = (size_t)used + (more > 0 ? (size_t)more : 0);
    if (size > sizeof(line) - 2) {
        size = sizeof(line) - 2;
    }
    line[size] = '\n';
    CN_ASSERT(size + 1 < sizeof(line));
    log->write(log->context, line, size + 1);
    if (dropped > 0 && atomic_load(&log->dropped) > 0) {
        atomic_fetch_add(&log->dropped, dropped); /* the line with their number was dropped too */
    }
}

bool
sv_log_level_find(const char *name, enum sv_log_level *level)
{
    for (int i = 0; i < SV_LOG_LEVEL_COUNT; i++) {
        if (strcmp(level_names[i], name) == 0) {
            *level = (enum sv_log_level)i;
            return true;
        }
    }
    return false;
}

const char *
sv_log_quote(char *out, size_t out_size, const char *text)
{
    CN_ASSERT(out_size > 0);
    size_t i = 0;
    for (; i + 1 < out_size && text[i] != '\0'; i++) {
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    }
    out[i] = '\0';
    return out;
}
