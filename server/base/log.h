/*
 * log.h: lines for the operator, one event a line, on standard error.
 *
 * A line is written by one call, so lines of different threads do not mix.  A flood is cut: beyond
 * SV_LOG_RATE lines are dropped, and the next line that passes says how many.  What a client sent
 * is never printed except through sv_log_quote, which leaves nothing that a terminal acts on.
 */
#ifndef SERVER_BASE_LOG_H
#define SERVER_BASE_LOG_H

#include "server/base/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Enumerator, name. */
#define SV_LOG_TABLE(X) X(ERROR, "error") X(WARN, "warn") X(INFO, "info") X(DEBUG, "debug")

#define X(NAME, name) SV_LOG_##NAME,
enum sv_log_level { SV_LOG_TABLE(X) SV_LOG_LEVEL_COUNT };
#undef X

struct sv_log {
    enum sv_log_level level; /* the least important that is printed */
    struct sv_clock clock;
    void (*write)(void *context, const char *line, size_t size); /* line ends with \n */
    void *context;
    _Atomic uint64_t arrival_ns; /* rate limit, see rate.h */
    atomic_uint dropped;
};

/* To standard error. */
void sv_log_init(struct sv_log *log, enum sv_log_level level, struct sv_clock clock);

__attribute__((format(printf, 3, 4))) void sv_log(
    struct sv_log *log, enum sv_log_level level, const char *format, ...);

/* False when no level has that name. */
bool sv_log_level_find(const char *name, enum sv_log_level *level);

/* Copies what came from outside; anything but printable ASCII becomes '?'. Returns `out`. */
const char *sv_log_quote(char *out, size_t out_size, const char *text);

#endif
