/*
 * watch_print.c: a watched world as a screen, as lines, as JSON.
 */
#include "clients/cli/watch.h"

#include "engine/base/assert.h"

#include <inttypes.h>
#include <stdarg.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define KINDS_SHOWN 8
#define FIELDS_SHOWN 6
#define COLUMNS_DEFAULT 80

/* ---- rates ---- */

static unsigned
kept_count(const struct watch *watch)
{
    return watch->period_count < WATCH_PERIODS ? watch->period_count : WATCH_PERIODS;
}

static double
duration_s(const struct watch *watch)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < kept_count(watch); i++) {
        sum += watch->periods[i].duration_us;
    }
    return sum > 0 ? (double)sum * 1e-6 : 1.0;
}

double
watch_rate(const struct watch *watch, enum wire_server_kind kind)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < kept_count(watch); i++) {
        sum += watch->periods[i].messages[kind];
    }
    return (double)sum / duration_s(watch);
}

static double
kind_rate(const struct watch *watch, unsigned kind)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < kept_count(watch); i++) {
        sum += watch->periods[i].bytes[kind];
    }
    return (double)sum / duration_s(watch);
}

static double
field_rate(const struct watch *watch, unsigned kind, unsigned field)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < kept_count(watch); i++) {
        sum += watch->periods[i].field_bytes[kind][field];
    }
    return (double)sum / duration_s(watch);
}

double
watch_bytes_rate(const struct watch *watch)
{
    double sum = 0.0;
    for (unsigned kind = 0; kind < WIRE_SERVER_KINDS_MAX; kind++) {
        sum += kind_rate(watch, kind);
    }
    return sum;
}

static double
skipped_rate(const struct watch *watch)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < kept_count(watch); i++) {
        sum += watch->periods[i].skipped;
    }
    return (double)sum / duration_s(watch);
}

static const char *
state_of(const struct watch *watch)
{
    switch (watch->status.state) {
    case WIRE_WORLD_PAUSED:
        return "paused";
    case WIRE_WORLD_FAILED:
        return "failed";
    case WIRE_WORLD_REPLAY:
        return "replays";
    default:
        return watch->status.idle ? "rests" : "runs";
    }
}

static uint64_t
newest_tick(const struct watch *watch)
{
    return watch->tick > watch->status.tick ? watch->tick : watch->status.tick;
}

/* The tick of the engine in this program; 0: it has no world. */
static uint64_t
follower_tick(const struct watch *watch)
{
    const struct cn_world *engine = watch->follower.followed.engine;
    return engine != NULL ? cn_world_tick(engine) : 0;
}

/* The attributes that the daemon has sent, or those of the engine in this program. */
static int
attributes_of(const struct watch *watch, const struct cn_attribute **rows)
{
    const struct cn_world *engine = watch->follower.followed.engine;
    if (engine != NULL) {
        return cn_world_attributes(engine, rows);
    }
    *rows = watch->attributes.rows;
    return watch->attributes.count;
}

/* ---- the screen ---- */

/* A screen that is written line by line; lines are cut at its width. */
struct screen {
    FILE *out;
    int columns;
    unsigned lines;
    bool is_unicode;
};

/* Writes a line, cut at the screen's width, which counts characters and not bytes. */
static void
put_line(struct screen *screen, const char *text)
{
    int column = 0;
    for (; *text != '\0'; text++) {
        column += ((unsigned char)*text & 0xC0) != 0x80 ? 1 : 0;
        if (column > screen->columns) {
            break;
        }
        fputc(*text, screen->out);
    }
    fputs("\033[K\n", screen->out);
    screen->lines++;
}

__attribute__((format(printf, 2, 3))) static void
print(struct screen *screen, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    put_line(screen, text);
}

/* Prints three digits and a unit prefix. */
static const char *
print_sized(char text[16], double value)
{
    static const char *const prefixes[] = {"", "k", "M", "G"};
    int i = 0;
    while (value >= 1000.0 && i < 3) {
        value *= 1e-3;
        i++;
    }
    snprintf(text, 16, value < 10.0 && i > 0 ? "%.2f%s" : "%.0f%s", value, prefixes[i]);
    return text;
}

/* Finds the indices of the largest values above 0, largest first; returns how many. */
static int
find_largest(const double *values, int count, int *places, int places_max)
{
    int found = 0;
    for (int i = 0; i < count; i++) {
        int at = found;
        if (values[i] <= 0.0) {
            continue;
        }
        while (at > 0 && values[i] > values[places[at - 1]]) {
            at--;
        }
        if (at >= places_max) {
            continue;
        }
        int last = found < places_max ? found : places_max - 1;
        memmove(&places[at + 1], &places[at], (size_t)(last - at) * sizeof(places[0]));
        CN_ASSERT(0 <= at && at < places_max);
        places[at] = i;
        found = found < places_max ? found + 1 : places_max;
    }
    return found;
}

static void
print_kinds(const struct watch *watch, struct screen *screen)
{
    double rates[WIRE_SERVER_KINDS_MAX];
    int places[KINDS_SHOWN];
    char number[16];
    for (unsigned kind = 0; kind < WIRE_SERVER_KINDS_MAX; kind++) {
        rates[kind] = kind_rate(watch, kind);
    }
    int count = find_largest(rates, WIRE_SERVER_KINDS_MAX, places, KINDS_SHOWN);
    print(screen, "%-11s %8s B/s", "bytes", print_sized(number, watch_bytes_rate(watch)));
    for (int i = 0; i < count; i++) {
        unsigned kind = (unsigned)places[i];
        char line[256];
        const char *kind_name = wire_server_kind_name((enum wire_server_kind)kind);
        int used = snprintf(line, sizeof(line), "  %-9s %8s  ",
            kind_name != NULL ? kind_name : "text", print_sized(number, rates[kind]));
        double fields[WIRE_FIELDS_MAX];
        int field_places[FIELDS_SHOWN];
        for (unsigned field = 0; field < WIRE_FIELDS_MAX; field++) {
            fields[field] = field_rate(watch, kind, field);
        }
        int field_count = find_largest(fields, WIRE_FIELDS_MAX, field_places, FIELDS_SHOWN);
        for (int k = 0; k < field_count && used < (int)sizeof(line) - 48; k++) {
            unsigned field = (unsigned)field_places[k];
            const char *name = wire_server_field_name((enum wire_server_kind)kind, field);
            used += snprintf(line + used, sizeof(line) - (size_t)used, " %s %s",
                name != NULL ? name : "?", print_sized(number, fields[field]));
        }
        put_line(screen, line);
    }
}

static void
print_solver(const struct watch *watch, struct screen *screen)
{
    const struct wire_status *status = &watch->status;
    char judged[64] = "not judged";
    print(screen, "%-11s %s with %s%s", "method", status->settings.stepper,
        status->settings.solver, watch->is_spatial ? ", in space" : ", in the plane");
    if (watch->has_contacts) {
        if (watch->contacts.is_judged) {
            snprintf(judged, sizeof(judged), "residual %.2e", watch->contacts.residual);
        }
        print(screen, "%-11s %zu touch, %u rows, %u iterations, %s", "contacts",
            watch->contacts.count, watch->contacts.row_count, watch->contacts.iteration_count,
            judged);
    } else {
        print(screen, "%-11s %u", "contacts", status->contact_count);
    }
    print(screen, "%-11s %u, %zu may move, %zu asleep", "bodies", status->body_count,
        watch->moving_count, watch->asleep_count);
    if (watch->has_energy) {
        print(screen, "%-11s %.6g J: kinetic %.4g, potential %.6g", "energy", watch->total,
            watch->kinetic, watch->potential);
    }
}

/* Prints a sparkline, scaled from the least to the largest value; the newest is on the right. */
static void
print_history(
    const struct watch *watch, struct screen *screen, enum watch_history which, const char *name)
{
    static const char *const blocks[8] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const messages[8] = {"_", ".", "-", "~", "=", "+", "*", "#"};
    unsigned count =
        watch->history_count < WATCH_HISTORY ? watch->history_count : WATCH_HISTORY;
    double least = (double)INFINITY, most = -(double)INFINITY, newest = 0.0;
    char line[WATCH_HISTORY * 3 + 1] = "", low[16], high[16];
    for (unsigned i = 0; i < count; i++) {
        newest = watch->history[which][(watch->history_count - count + i) % WATCH_HISTORY];
        least = newest < least ? newest : least;
        most = newest > most ? newest : most;
    }
    /* A nearly constant value is drawn as a flat line, to avoid magnified noise. */
    double span = most - least > 0.02 * fabs(most) ? most - least : 0.0;
    for (unsigned i = 0; i < count; i++) {
        double value = watch->history[which][(watch->history_count - count + i) % WATCH_HISTORY];
        int level = span > 0.0 ? (int)(7.999 * (value - least) / span) : 3;
        level = level < 0 ? 0 : level > 7 ? 7 : level;
        strcat(line, screen->is_unicode ? blocks[level] : messages[level]);
    }
    snprintf(low, sizeof(low), "%.3g", least);
    snprintf(high, sizeof(high), "%.3g", most);
    int pad = WATCH_HISTORY - (int)count;
    print(screen, "%-11s %*s%s  %s to %s", name, pad, "", line, low, high);
}

static void
print_clock(const struct watch *watch, struct screen *screen)
{
    const struct wire_status *status = &watch->status;
    double budget_us = status->tick_rate > 0.0 ? 1e6 / status->tick_rate : 0.0;
    char delay[64] = "", skipped[64] = "";
    if (watch->delay_ms >= 0.0) {
        snprintf(delay, sizeof(delay), ", snapshots %.1f ms after publishing", watch->delay_ms);
    }
    if (skipped_rate(watch) > 0.0) {
        snprintf(skipped, sizeof(skipped), ", %.1f/s skipped", skipped_rate(watch));
    }
    print(screen, "%-11s %" PRIu64 ", %.2f s", "tick", newest_tick(watch), status->time);
    print(screen, "%-11s %.1f Hz of %.4g%s, real time x %.2f", "rate",
        watch_rate(watch, WIRE_SERVER_TICK), status->tick_rate, skipped,
        status->real_time_factor);
    print(screen, "%-11s %.3f ms, %.1f %% of a tick", "step", status->tick_duration_us * 1e-3,
        budget_us > 0.0 ? 100.0 * status->tick_duration_us / budget_us : 0.0);
    if (watch->round_trip_ms >= 0.0) {
        print(screen, "%-11s %u; round trip %.1f ms%s", "clients", status->client_count,
            watch->round_trip_ms, delay);
    } else {
        print(screen, "%-11s %u", "clients", status->client_count);
    }
}

static void
print_attributes(const struct watch *watch, struct screen *screen)
{
    const struct cn_attribute *rows;
    char line[400];
    int count = attributes_of(watch, &rows);
    if (cli_attributes_shown(rows, count) > 0) {
        cli_attributes_line(rows, count, line, sizeof(line));
        print(screen, "%-11s %s", "attributes", line);
    }
}

/* How the engine of this program compares with the daemon's. */
static void
print_follower(const struct watch *watch, struct screen *screen)
{
    const struct cli_follower *follower = &watch->follower;
    print(screen, "%-11s tick %" PRIu64 "; %" PRIu64 " hashes are the daemon's, %" PRIu64
        " differ; %" PRIu64 " images", "engine here", follower_tick(watch), follower->equal_count,
        follower->differ_count, follower->image_count);
}

void
watch_draw(struct watch *watch, FILE *out)
{
    struct winsize size = {0};
    bool is_sized = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    struct screen screen = {.out = out,
        .columns = is_sized ? size.ws_col : COLUMNS_DEFAULT,
        .is_unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
    fputs("\033[H", out);
    print(&screen, "\033[1m%s\033[0m  %s  %s at %s", watch->status.id, watch->status.title,
        state_of(watch), watch->server);
    print(&screen, "%s", watch->status.failure);
    print_clock(watch, &screen);
    print_solver(watch, &screen);
    print_attributes(watch, &screen);
    put_line(&screen, "");
#define X(name, text) print_history(watch, &screen, WATCH_HISTORY_##name, text);
    WATCH_HISTORY_TABLE(X)
#undef X
    put_line(&screen, "");
    print_kinds(watch, &screen);
    if (watch->follower.image_count > 0) {
        print_follower(watch, &screen);
    }
    if (watch->mismatched > 0) {
        print(&screen, "%" PRIu64 " snapshots have another hash than they say", watch->mismatched);
    }
    put_line(&screen, "");
    fputs("q ends\033[K\033[J", out);

}

void
watch_begin_screen(FILE *out)
{
    setlocale(LC_CTYPE, "");
    fputs("\033[?1049h\033[?25l\033[H\033[2J", out); /* the other screen, no cursor */
    fflush(out);
}

void
watch_end_screen(FILE *out)
{
    fputs("\033[?25h\033[?1049l", out);
    fflush(out);
}

/* ---- lines ---- */

void
watch_print_line(const struct watch *watch, FILE *out)
{
    const struct wire_status *status = &watch->status;
    fprintf(out, "%s tick %" PRIu64 " rate %.1f/s realtime %.2f step %.3f ms clients %u",
        state_of(watch), newest_tick(watch), watch_rate(watch, WIRE_SERVER_TICK),
        status->real_time_factor, status->tick_duration_us * 1e-3, status->client_count);
    fprintf(out, " bytes %.0f/s", watch_bytes_rate(watch));
    if (watch->round_trip_ms >= 0.0) {
        fprintf(out, " roundtrip %.2f ms", watch->round_trip_ms);
    }
    if (watch->has_contacts) {
        fprintf(out, " contacts %zu", watch->contacts.count);
        if (watch->contacts.is_judged) {
            fprintf(out, " residual %.2e", watch->contacts.residual);
        }
    }
    if (watch->has_energy) {
        fprintf(out, " energy %.6g J", watch->total);
    }
    if (watch->follower.image_count > 0) {
        fprintf(out, " hashes %" PRIu64 " equal %" PRIu64 " different",
            watch->follower.equal_count, watch->follower.differ_count);
    }
    const struct cn_attribute *rows;
    int count = attributes_of(watch, &rows);
    if (cli_attributes_shown(rows, count) > 0) {
        char line[400];
        cli_attributes_line(rows, count, line, sizeof(line));
        fprintf(out, " attributes %s", line);
    }
    fputc('\n', out);
}

/* Worlds without attributes have no list of them. */
static void
print_attributes_json(const struct watch *watch, FILE *out)
{
    struct wire_json json;
    const struct cn_attribute *rows;
    int count = attributes_of(watch, &rows);
    if (cli_attributes_shown(rows, count) == 0) {
        return;
    }
    wire_json_init(&json, false);
    cli_attributes_json(&json, NULL, rows, count);
    if (!json.failed) {
        fputs(", \"attributes\": ", out);
        fwrite(json.data, 1, json.size, out);
    }
    wire_json_finish(&json);
}

void
watch_print_json(const struct watch *watch, FILE *out)
{
    const struct wire_status *status = &watch->status;
    fprintf(out,
        "{\"world\": \"%s\", \"state\": \"%s\", \"tick\": %" PRIu64
        ", \"time\": %.6f, \"ticksPerS\": %.2f, \"skippedPerS\": %.2f, \"realTimeFactor\": %.4f, "
        "\"stepMs\": %.4f, \"clients\": %u, \"bodies\": %u, \"asleep\": %zu",
        status->id, state_of(watch), newest_tick(watch), status->time,
        watch_rate(watch, WIRE_SERVER_TICK), skipped_rate(watch), status->real_time_factor,
        status->tick_duration_us * 1e-3, status->client_count, status->body_count,
        watch->asleep_count);
    fprintf(out, ", \"stepper\": \"%s\", \"solver\": \"%s\"", status->settings.stepper,
        status->settings.solver);
    if (watch->round_trip_ms >= 0.0) {
        fprintf(out, ", \"roundTripMs\": %.3f", watch->round_trip_ms);
    }
    if (watch->delay_ms >= 0.0) {
        fprintf(out, ", \"snapshotMs\": %.3f", watch->delay_ms);
    }
    if (watch->has_contacts) {
        fprintf(out, ", \"contacts\": %zu, \"rows\": %u, \"iterations\": %u",
            watch->contacts.count, watch->contacts.row_count, watch->contacts.iteration_count);
        if (watch->contacts.is_judged) {
            fprintf(out, ", \"residual\": %.3e", watch->contacts.residual);
        }
    }
    if (watch->has_energy) {
        fprintf(out, ", \"energy\": {\"kinetic\": %.9g, \"potential\": %.9g, \"total\": %.9g}",
            watch->kinetic, watch->potential, watch->total);
    }
    if (watch->follower.image_count > 0) {
        fprintf(out, ", \"engine\": {\"tick\": %" PRIu64 ", \"images\": %" PRIu64
            ", \"hashesEqual\": %" PRIu64 ", \"hashesDifferent\": %" PRIu64 "}",
            follower_tick(watch),
            watch->follower.image_count, watch->follower.equal_count,
            watch->follower.differ_count);
    }
    print_attributes_json(watch, out);
    fputs(", \"bytesPerS\": {", out);
    const char *between = "";
    for (unsigned kind = 0; kind < WIRE_SERVER_KINDS_MAX; kind++) {
        const char *name = wire_server_kind_name((enum wire_server_kind)kind);
        if (kind_rate(watch, kind) > 0.0) {
            fprintf(out, "%s\"%s\": %.1f", between, name != NULL ? name : "text",
                kind_rate(watch, kind));
            between = ", ";
        }
    }
    fputs("}}\n", out);
}
