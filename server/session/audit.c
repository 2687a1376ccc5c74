#include "server/session/audit.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE 1400

/* The part of the line after the answer. */
struct sv_audit_pending {
    struct sv_audit_pending *next;
    uint64_t session;
    uint32_t number;
    char op[16];
    char rest[]; /* from " session=" on */
};

void
sv_audit_init(struct sv_audit *audit, struct sv_log *log, struct sv_clock clock,
    struct sv_metrics *metrics)
{
    memset(audit, 0, sizeof(*audit));
    audit->log = log;
    audit->clock = clock;
    audit->metrics = metrics;
    audit->file = -1;
}

/* ---- the file ---- */

bool
sv_audit_open(struct sv_audit *audit, const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        sv_log(audit->log, SV_LOG_ERROR, "--audit %s: %s", path, strerror(errno));
        return false;
    }
    if (audit->file >= 0) {
        close(audit->file);
    }
    audit->file = file;
    audit->path = path;
    audit->has_failed = false;
    return true;
}

/*
 * Writes a line.  A failed line is counted.  The log reports the first failure, and the next one
 * only after a success.
 */
static void
write_file(struct sv_audit *audit, const char *text)
{
    char line[LINE_SIZE + 40], time[32];
    int64_t now_ms = sv_clock_wall_ms(&audit->clock);
    time_t now_s = (time_t)(now_ms / 1000);
    struct tm parts;
    strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now_s, &parts));
    int size =
        snprintf(line, sizeof(line), "%s.%03dZ %s\n", time, (int)(now_ms % 1000), text);
    CN_ASSERT(audit->file >= 0 && size > 0 && (size_t)size < sizeof(line));
    ssize_t written = write(audit->file, line, (size_t)size);
    if (written != size) {
        SV_COUNT(audit->metrics, audit_left_out, 1);
        if (!audit->has_failed) {
            sv_log(audit->log, SV_LOG_ERROR, "--audit %s: %s", audit->path,
                written < 0 ? strerror(errno) : "no room for a whole line");
        }
    }
    audit->has_failed = written != size;
}

/* ---- lines ---- */

static bool
may_write(struct sv_audit *audit)
{
    uint64_t rate = audit->file >= 0 ? SV_AUDIT_FILE_RATE : SV_AUDIT_LOG_RATE;
    return sv_rate_take(&audit->rate, sv_clock_now_ns(&audit->clock), SV_NS_PER_S / rate,
        SV_AUDIT_BURST_S * rate);
}

static void
write_line(struct sv_audit *audit, const char *text)
{
    if (audit->file >= 0) {
        write_file(audit, text);
    } else {
        sv_log(audit->log, SV_LOG_INFO, "audit %s", text);
    }
}

static void
write_answered(struct sv_audit *audit, const char *op, const char *answer, const char *rest)
{
    char line[LINE_SIZE];
    if (!may_write(audit)) {
        audit->left_out++;
        SV_COUNT(audit->metrics, audit_left_out, 1);
        return;
    }
    if (audit->left_out > 0) {
        snprintf(line, sizeof(line), "left_out=%u", audit->left_out);
        audit->left_out = 0;
        write_line(audit, line);
    }
    snprintf(line, sizeof(line), "op=%s answer=%s%s", op, answer, rest);
    write_line(audit, line);
}

/*
 * Adds text in quotes, at most `most` bytes of it; bytes that could end the field or the line are
 * escaped.
 */
static size_t
add_quoted(char *out, size_t used, const char *text, size_t size, size_t most)
{
    static const char digits[] = "0123456789abcdef";
    out[used++] = '"';
    for (size_t i = 0; i < size && i < most; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
            out[used++] = (char)c;
        } else {
            out[used++] = '\\';
            out[used++] = 'x';
            out[used++] = digits[c >> 4];
            out[used++] = digits[c & 15];
        }
    }
    out[used++] = '"';
    out[used] = '\0';
    return used;
}

/* Room for each field escaped whole: see _Static_assert. */
#define SUBJECT_ROOM (4 * AC_SUBJECT_SIZE + 16)
#define WORLD_ROOM (4 * WIRE_NAME_SIZE + 16)
#define ARGUMENTS_ROOM (4 * SV_AUDIT_ARGUMENTS_SIZE + 16)
#define FROM_SIZE 72
#define REST_SIZE (64 + SUBJECT_ROOM + AC_ID_SIZE + 32 + FROM_SIZE + WORLD_ROOM + ARGUMENTS_ROOM)
_Static_assert(REST_SIZE + 64 <= LINE_SIZE, "a line has room for all");

/* An address given by a proxy may contain anything: only characters of addresses are written. */
static size_t
add_from(char *out, size_t used, const char *from)
{
    static const char letters[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:[]_-%";
    used += (size_t)sprintf(out + used, " from=");
    size_t begin = used;
    for (; from != NULL && *from != '\0' && used - begin < FROM_SIZE - 1; from++) {
        out[used++] = strchr(letters, *from) != NULL ? *from : '?';
    }
    if (used == begin) {
        out[used++] = '-';
    }
    CN_ASSERT(used > begin && used - begin < FROM_SIZE);
    out[used] = '\0';
    return used;
}

static void
print_rest(const struct sv_audit_order *order, char out[REST_SIZE])
{
    const struct sv_grant *grant = order->grant;
    const char *role = ac_role_name(grant->role);
    const char *world = order->world != NULL ? order->world : "";
    char session[24] = "-";
    if (order->session != 0) {
        snprintf(session, sizeof(session), "%" PRIu64, order->session);
    }
    size_t used = (size_t)sprintf(out, " session=%s sub=", session);
    used = add_quoted(out, used, grant->subject, strlen(grant->subject), AC_SUBJECT_SIZE);
    used += (size_t)sprintf(out + used, " jti=%s role=%s", grant->id[0] != '\0' ? grant->id : "-",
        role != NULL ? role : "-");
    used = add_from(out, used, order->from);
    used += (size_t)sprintf(out + used, " world=");
    used = add_quoted(out, used, world, strlen(world), WIRE_NAME_SIZE);
    used += (size_t)sprintf(out + used, " args=");
    CN_ASSERT(used + ARGUMENTS_ROOM <= REST_SIZE);
    add_quoted(out, used, order->arguments, order->arguments_size, SV_AUDIT_ARGUMENTS_SIZE);
}

/* ---- orders and their answers ---- */

uint32_t
sv_audit_number(struct sv_audit *audit)
{
    audit->number += audit->number == UINT32_MAX ? 2 : 1;
    CN_ASSERT(audit->number != 0); /* 0 is no order */
    return audit->number;
}

/* Removes the entry after *at from the list. */
static void
take_off(struct sv_audit *audit, struct sv_audit_pending **at, struct sv_audit_pending *before)
{
    struct sv_audit_pending *pending = *at;
    CN_ASSERT(before == NULL || before->next == pending);
    CN_ASSERT(pending != NULL && audit->pending_count > 0);
    *at = pending->next;
    if (audit->last == pending) {
        audit->last = before;
    }
    audit->pending_count--;
}

static void
drop_oldest(struct sv_audit *audit)
{
    struct sv_audit_pending *oldest = audit->first;
    take_off(audit, &audit->first, NULL);
    write_answered(audit, oldest->op, "unknown", oldest->rest);
    free(oldest);
}

void
sv_audit_begin(struct sv_audit *audit, const struct sv_audit_order *order, uint32_t number)
{
    CN_ASSERT((audit->first == NULL) == (audit->last == NULL));
    char rest[REST_SIZE];
    print_rest(order, rest);
    size_t size = strlen(rest) + 1;
    struct sv_audit_pending *pending = malloc(sizeof(*pending) + size);
    if (pending == NULL) {
        write_answered(audit, order->op, "unknown", rest);
        return;
    }
    if (audit->pending_count == SV_AUDIT_PENDING_MAX) {
        drop_oldest(audit);
    }
    pending->next = NULL;
    pending->session = order->session;
    pending->number = number;
    snprintf(pending->op, sizeof(pending->op), "%s", order->op);
    memcpy(pending->rest, rest, size);
    if (audit->last != NULL) {
        audit->last->next = pending;
    } else {
        audit->first = pending;
    }
    audit->last = pending;
    audit->pending_count++;
    CN_ASSERT(audit->pending_count <= SV_AUDIT_PENDING_MAX);
}

void
sv_audit_answer(struct sv_audit *audit, uint64_t session, uint32_t number, const char *answer)
{
    struct sv_audit_pending *before = NULL;
    for (struct sv_audit_pending **at = &audit->first; *at != NULL; at = &(*at)->next) {
        struct sv_audit_pending *pending = *at;
        if (pending->session == session && pending->number == number) {
            take_off(audit, at, before);
            write_answered(audit, pending->op, answer, pending->rest);
            free(pending);
            return;
        }
        before = pending;
    }
}

void
sv_audit_tell(struct sv_audit *audit, const struct sv_audit_order *order, const char *answer)
{
    char rest[REST_SIZE];
    print_rest(order, rest);
    write_answered(audit, order->op, answer, rest);
}

void
sv_audit_finish(struct sv_audit *audit)
{
    while (audit->first != NULL) {
        drop_oldest(audit);
    }
    CN_ASSERT(audit->pending_count == 0 && audit->last == NULL);
    if (audit->file >= 0) {
        close(audit->file);
    }
    audit->file = -1;
}
