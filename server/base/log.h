/*
 * log.h: lines for the operator, one event a line, on standard error.
 *
 *     2026-11-23T08:36:03.214Z cairnd: warn: the disk is slow ...
 *
 * The date is printed unless the service manager adds one.  A line is written by one call, so lines
 * of different threads do not mix.  Beyond SV_LOG_RATE lines are dropped, and the next line says
 * how many.  Texts from clients are printed only through sv_log_quote, which removes characters
 * that control a terminal.
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
    enum sv_log_level level; /* the least important level that is printed */
    struct sv_clock clock;
    void (*write)(void *context, const char *line, size_t size); /* line ends with \n */
    void *context;
    bool is_dated; /* each line begins with the wall clock's time in UTC */
    _Atomic uint64_t arrival_ns; /* rate limit, see rate.h */
    atomic_uint dropped;
};

/* Logs to standard error, without dates. */
void sv_log_init(struct sv_log *log, enum sv_log_level level, struct sv_clock clock);

/*
 * Whether standard error is not a stream of the system's journal, which dates every line itself:
 * the environment's JOURNAL_STREAM names that stream by device and inode (systemd.exec(5)).
 */
bool sv_log_wants_date(void);

__attribute__((format(printf, 3, 4))) void sv_log(
    struct sv_log *log, enum sv_log_level level, const char *format, ...);

/* False if no level has that name. */
bool sv_log_level_find(const char *name, enum sv_log_level *level);

/* Copies text from outside; every byte except printable ASCII becomes '?'.  Returns `out`. */
const char *sv_log_quote(char *out, size_t out_size, const char *text);

#endif
