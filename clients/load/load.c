/*
 * load.c: runs bots: the ramp, the end, and the limits for the report.
 */
#include "clients/load/load.h"

#include "engine/base/assert.h"
#include "proto/limits.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PULSE_MS 10
#define US_PER_S UINT64_C(1000000)
#define SETTLE_US US_PER_S       /* time between the last bot and the first figure */
#define JOIN_US (20 * US_PER_S)  /* longest wait for the last bots before figures begin */
#define CLOSE_US (2 * US_PER_S)  /* time for closing connections */
#define PROGRESS_US (US_PER_S / 4)
#define FILES_MORE 64 /* besides the bots' sockets */
#define WORLD_PREFIX "load"

uint64_t
load_now_us(void)
{
    return uv_hrtime() / 1000;
}

void
load_error(struct load *load, const char *format, ...)
{
    struct load_stats *stats = &load->stats;
    char text[CNC_REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    unsigned i = 0;
    while (i < stats->error_count && strcmp(stats->errors[i].text, text) != 0) {
        i++;
    }
    if (i == stats->error_count) {
        if (i < LOAD_ERRORS_MAX) {
            stats->error_count++;
        } else {
            snprintf(text, sizeof(text), "other");
        }
        memcpy(stats->errors[i].text, text, sizeof(text));
    }
    CN_ASSERT(i <= LOAD_ERRORS_MAX && stats->error_count <= LOAD_ERRORS_MAX);
    stats->errors[i].count++;
    stats->errors_total++;
}

double
load_measured_s(const struct load *load)
{
    uint64_t from_us = load->measure_us != 0 ? load->measure_us : load->start_us;
    uint64_t to_us = load->close_us != 0 ? load->close_us : load_now_us();
    return (double)(to_us - from_us) / (double)US_PER_S;
}

/* ---- memory of the daemon ---- */

/* Resident kilobytes of a process of this machine, from /proc; 0: no such process. */
static uint64_t
resident_kb(uint64_t pid)
{
    char path[64], line[256];
    uint64_t kb = 0;
    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/status", pid);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "VmRSS: %" SCNu64, &kb) == 1) {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kb;
}

static void
watch_memory(struct load *load)
{
    struct load_memory *memory = &load->stats.memory;
    uint64_t kb = load->memory_pid != 0 ? resident_kb(load->memory_pid) : 0;
    if (kb == 0) {
        return;
    }
    memory->first_kb = memory->first_kb == 0 ? kb : memory->first_kb;
    memory->most_kb = kb > memory->most_kb ? kb : memory->most_kb;
    memory->last_kb = kb;
    if (memory->settled_kb == 0 && load->is_measuring && load_measured_s(load) >= load->settle_s) {
        memory->settled_kb = kb;
        memory->settled_s = load_measured_s(load);
    }
}

/* ---- the run ---- */

/* Drops the figures from before the ramp's end, except joins, errors and memory. */
static void
begin_measuring(struct load *load, uint64_t now_us)
{
    struct load_stats *stats = &load->stats;
    struct load_stats *before = malloc(sizeof(*before));
    load->is_measuring = true;
    load->measure_us = now_us;
    load->end_us = now_us + (uint64_t)(load->duration_s * (double)US_PER_S);
    if (before == NULL) {
        return; /* the figures then include the ramp */
    }
    *before = *stats;
    memset(stats, 0, sizeof(*stats));
    stats->join_us = before->join_us;
    memcpy(stats->errors, before->errors, sizeof(stats->errors));
    stats->error_count = before->error_count;
    stats->errors_total = before->errors_total;
    stats->memory = before->memory;
    free(before);
}

static void
begin_bots(struct load *load, uint64_t now_us)
{
    double elapsed_s = (double)(now_us - load->start_us) / (double)US_PER_S;
    double share = load->ramp_s > 0.0 ? elapsed_s / load->ramp_s : 1.0;
    unsigned wanted = share < 1.0 ? (unsigned)(share * load->bot_count) : load->bot_count;
    while (load->begun_count < wanted && !load->is_closing) {
        struct load_bot *bot = load_bot_begin(load, load->begun_count);
        if (bot == NULL) {
            load_error(load, "no memory for a bot");
            load->bot_count = load->begun_count;
            return;
        }
        CN_ASSERT(load->begun_count < load->bot_count); /* the room of bots[] */
        load->bots[load->begun_count++] = bot;
    }
}

static uint64_t
bytes_heard(const struct load *load)
{
    uint64_t sum = 0;
    for (int i = 0; i < WIRE_SERVER_KINDS_MAX; i++) {
        sum += load->stats.bytes[i];
    }
    return sum;
}

static void
show_progress(struct load *load, uint64_t now_us)
{
    if (!load->has_progress || now_us - load->second_us < PROGRESS_US) {
        return;
    }
    double elapsed_s = (double)(now_us - load->second_us) / (double)US_PER_S;
    uint64_t bytes = bytes_heard(load);
    double rate = bytes >= load->seen_bytes ? (double)(bytes - load->seen_bytes) / elapsed_s : 0.0;
    load->seen_bytes = bytes;
    load->second_us = now_us;
    fprintf(stderr, "\r\033[K%u of %u bots joined", load->joined_count, load->bot_count);
    if (load->is_measuring) {
        fprintf(stderr, ", %.0f of %.0f s", load_measured_s(load), load->duration_s);
    }
    fprintf(stderr, ", %.1f MB/s, round trip p99 %.1f ms, %" PRIu64 " errors", rate * 1e-6,
        (double)load_quantile_at(&load->stats.round_trip_us, 0.99) * 1e-3,
        load->stats.errors_total);
    fflush(stderr);
}

static void
close_bots(struct load *load, uint64_t now_us)
{
    load->is_closing = true;
    load->close_us = now_us;
    watch_memory(load);
    for (unsigned i = 0; i < load->begun_count; i++) {
        load_bot_close(load->bots[i]);
    }
}

static void
stop_bots(struct load *load)
{
    load->is_stopped = true;
    uv_close((uv_handle_t *)&load->pulse, NULL);
    for (int i = 0; i < 2; i++) {
        uv_close((uv_handle_t *)&load->signals[i], NULL);
    }
    cnc_client_stop(load->client);
    for (unsigned i = 0; i < load->begun_count; i++) {
        load_bot_stop(load->bots[i]);
    }
}

static void
on_pulse(uv_timer_t *timer)
{
    struct load *load = timer->data;
    uint64_t now_us = load_now_us();
    if (load->is_closing) {
        if (load->ended_count == load->begun_count || now_us > load->close_us + CLOSE_US) {
            stop_bots(load);
        }
        return;
    }
    uint64_t before_us = load->pulse_us;
    load->pulse_us = now_us;
    if (before_us != 0) {
        uint64_t due_us = before_us + PULSE_MS * 1000;
        load_quantile_add(&load->stats.lag_us, now_us > due_us ? now_us - due_us : 0);
    }
    begin_bots(load, now_us);
    uint64_t ramp_us = load->start_us + (uint64_t)(load->ramp_s * (double)US_PER_S);
    bool is_begun = load->begun_count == load->bot_count && now_us >= ramp_us + SETTLE_US;
    bool is_ready =
        load->joined_ever + load->ended_count >= load->bot_count || now_us >= ramp_us + JOIN_US;
    if (!load->is_measuring && is_begun && is_ready) {
        begin_measuring(load, now_us);
    }
    if (now_us / US_PER_S != before_us / US_PER_S) {
        watch_memory(load);
    }
    show_progress(load, now_us);
    bool is_over = load->is_measuring && now_us >= load->end_us;
    bool is_deserted = load->begun_count == load->bot_count &&
        load->ended_count == load->bot_count;
    if (is_over || is_deserted || load->is_interrupted) {
        close_bots(load, now_us);
    }
}

static void
on_signal(uv_signal_t *signal, int number)
{
    struct load *load = signal->data;
    if (load->is_interrupted) {
        _exit(128 + number);
    }
    load->is_interrupted = true;
}

static enum cli_exit
run_bots(struct load *load)
{
    char error[512];
    static const int numbers[2] = {SIGINT, SIGTERM};
    uv_loop_init(&load->loop);
    load->client = cnc_client_create(&load->loop, &load->remote.address, load->remote.ca_file,
        &load_bot_events, error, sizeof(error));
    if (load->client == NULL) {
        cli_complain("%s", error);
        return CLI_COULD_NOT;
    }
    load->start_us = load->second_us = load_now_us();
    uv_timer_init(&load->loop, &load->pulse);
    load->pulse.data = load;
    uv_timer_start(&load->pulse, on_pulse, 0, PULSE_MS);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&load->loop, &load->signals[i]);
        load->signals[i].data = load;
        uv_signal_start(&load->signals[i], on_signal, numbers[i]);
    }
    uv_run(&load->loop, UV_RUN_DEFAULT);
    CN_ASSERT(load->is_stopped); /* only then no handle is left */
    cnc_client_destroy(load->client);
    uv_loop_close(&load->loop);
    if (load->has_progress) {
        fputs("\r\033[K", stderr);
    }
    return CLI_DONE;
}

/* ---- before and after ---- */

static enum cli_exit
raise_files(unsigned bot_count)
{
    struct rlimit limit;
    rlim_t wanted = bot_count + FILES_MORE;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return CLI_DONE;
    }
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
        cli_complain("%u bots want %u open files and this process may have %u; ulimit -n raises it",
            bot_count, (unsigned)wanted, (unsigned)limit.rlim_cur);
        return CLI_COULD_NOT;
    }
    return CLI_DONE;
}

static void
add_world(struct load *load, const char *name)
{
    struct load_world *world = &load->worlds[load->world_count++];
    snprintf(world->name, sizeof(world->name), "%s", name);
}

static bool
has_world(const struct wire_status *statuses, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(statuses[i].id, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Chooses the named worlds, or else all worlds that have not failed. */
static enum cli_exit
choose_worlds(struct load *load, const struct load_options *options)
{
    struct wire_status *statuses;
    size_t count;
    enum cli_exit result = cli_remote_worlds(&load->remote, &statuses, &count);
    if (result != CLI_DONE) {
        return result;
    }
    load->worlds = calloc(count + (size_t)options->worlds.count + 1, sizeof(load->worlds[0]));
    if (load->worlds == NULL) {
        cli_complain("no memory");
        result = CLI_COULD_NOT;
    }
    for (int i = 0; result == CLI_DONE && i < options->worlds.count; i++) {
        if (!has_world(statuses, count, options->worlds.words[i])) {
            cli_complain("the daemon has no world %.64s; cairn worlds lists them",
                options->worlds.words[i]);
            result = CLI_BAD;
        } else {
            add_world(load, options->worlds.words[i]);
        }
    }
    for (size_t i = 0; result == CLI_DONE && options->worlds.count == 0 && i < count; i++) {
        if (statuses[i].state != WIRE_WORLD_FAILED) {
            add_world(load, statuses[i].id);
        }
    }
    free(statuses);
    CN_ASSERT(load->world_count <= count + (size_t)options->worlds.count); /* its room */
    if (result == CLI_DONE && load->world_count == 0) {
        cli_complain("the daemon has no world; --create makes some");
        result = CLI_BAD;
    }
    return result;
}

static enum cli_exit
create_worlds(struct load *load, const struct load_options *options)
{
    size_t count = (size_t)options->create;
    load->worlds = calloc(count, sizeof(load->worlds[0]));
    if (load->worlds == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    for (size_t i = 0; i < count; i++) {
        char name[WIRE_NAME_SIZE];
        cli_remote_world_name(name, WORLD_PREFIX, i + 1);
        add_world(load, name);
    }
    return cli_remote_create(&load->remote, options->scene, WORLD_PREFIX, count);
}

static enum cli_exit
read_options(struct load *load, const struct load_options *options)
{
    char error[512];
    const char *format = options->format;
    if (!load_shares_parse(options->script, &load->shares, error, sizeof(error))) {
        cli_complain("%s", error);
        return CLI_BAD;
    }
    if (options->bots < 1 || options->bots > LOAD_BOTS_MAX) {
        cli_complain("--bots is %" PRIu64 "; 1 to %d are accepted", options->bots, LOAD_BOTS_MAX);
        return CLI_BAD;
    }
    if (options->loss > 100.0 || options->verify > 100.0) {
        cli_complain("--loss-percent and --verify-percent are at most 100");
        return CLI_BAD;
    }
    if (strcmp(format, "table") != 0 && strcmp(format, "json") != 0) {
        cli_complain("--format is %.32s; table and json are accepted", format);
        return CLI_BAD;
    }
    if (options->create > 0 && (options->scene == NULL || options->worlds.count > 0)) {
        cli_complain(options->worlds.count > 0
                ? "--create makes its own worlds; name worlds or create them"
                : "--create wants --scene NAME, a bundled scene (see cairn list scenes)");
        return CLI_BAD;
    }
    if (options->rate > UINT32_MAX) {
        cli_complain("--rate is %" PRIu64 "; at most %" PRIu32 " is accepted", options->rate,
            UINT32_MAX);
        return CLI_BAD;
    }
    if (options->contact_rate > WIRE_CONTACT_RATE_MAX ||
        (options->contact_rate > 0 && !options->contacts)) {
        cli_complain("--contact-rate is %" PRIu64 "; with --contacts, and at most %d",
            options->contact_rate, WIRE_CONTACT_RATE_MAX);
        return CLI_BAD;
    }
    load->subscribe.kind = WIRE_CLIENT_SUBSCRIBE;
    load->subscribe.subscribe.contact_rate_hz = (uint32_t)options->contact_rate;
    load->subscribe.subscribe.contacts = options->contacts;
    load->subscribe.subscribe.energy = options->energy;
    load->subscribe.subscribe.rate_hz = (uint32_t)options->rate;
    if (cli_remote_mode(options->mode, &load->subscribe.subscribe.mode) != CLI_DONE ||
        cli_remote_interest(
            options->area, options->tag, options->budget, &load->subscribe) != CLI_DONE) {
        return CLI_BAD;
    }
    bool is_deeds = load->subscribe.subscribe.mode == WIRE_MODE_DEEDS;
    load->subscribe.subscribe.physics = is_deeds ? cn_physics_version() : 0;
    load->ack_every = options->ack;
    load->bot_count = (unsigned)options->bots;
    load->duration_s = options->duration;
    load->ramp_s = options->ramp >= 0.0 ? options->ramp : (double)options->bots / 200.0;
    load->settle_s = options->settle;
    load->ping_us = (uint64_t)(options->ping * 1000.0) + 1;
    load->late_us = (uint64_t)(options->late * 1000.0);
    load->seed = options->seed;
    load->verify = options->verify / 100.0;
    load->quality = (struct cnc_link_quality){.latency_ms = options->latency,
        .jitter_ms = options->jitter,
        .loss = options->loss / 100.0};
    load->is_slow = options->latency > 0.0 || options->jitter > 0.0 || options->loss > 0.0;
    load->memory_pid = options->memory;
    load->has_progress = isatty(STDERR_FILENO) == 1;
    if (load->memory_pid != 0 && resident_kb(load->memory_pid) == 0) {
        cli_complain("--watch-memory: there is no process %" PRIu64, load->memory_pid);
        return CLI_BAD;
    }
    return CLI_DONE;
}

/* ---- limits of the figures ---- */

static bool
is_missed(const char *what, double value, double limit, const char *unit)
{
    if (limit < 0.0 || value <= limit) {
        return false;
    }
    cli_complain("%s is %.4g %s; at most %.4g are accepted", what, value, unit, limit);
    return true;
}

/* Whether the 99th percentile is above its limit.  Without a measurement the limit is missed. */
static bool
is_p99_missed(
    const struct load *load, const char *what, const struct load_quantile *times_us,
    double limit_ms)
{
    if (limit_ms >= 0.0 && times_us->count == 0 && !load->is_interrupted) {
        cli_complain("%s was not measured: the run was over before", what);
        return true;
    }
    return is_missed(what, (double)load_quantile_at(times_us, 0.99) * 1e-3, limit_ms, "ms");
}

static enum cli_exit
judge_load(const struct load *load, const struct load_options *options)
{
    const struct load_stats *stats = &load->stats;
    const struct load_memory *memory = &stats->memory;
    double growth = memory->settled_kb > 0
        ? 100.0 * ((double)memory->last_kb / (double)memory->settled_kb - 1.0)
        : 0.0;
    bool is_bad = is_p99_missed(
        load, "p99 of the round trip", &stats->round_trip_us, options->fail_p99);
    is_bad |= is_p99_missed(
        load, "p99 of the snapshots", &stats->snapshot_us, options->fail_snapshot);
    is_bad |= is_missed("errors", (double)stats->errors_total, options->fail_errors, "");
    is_bad |= is_missed("growth of memory", growth, options->fail_growth, "%");
    if (stats->mismatched > 0) {
        cli_complain("%" PRIu64 " snapshots have another hash than they say", stats->mismatched);
        is_bad = true;
    }
    if (options->fail_growth >= 0.0 && memory->settled_kb == 0 && !load->is_interrupted) {
        cli_complain("the run was over before --settle; growth of memory was not measured");
        is_bad = true;
    }
    return is_bad ? CLI_NO : CLI_DONE;
}

/* Returns the run's result, or an error if not all shown ticks were written. */
static enum cli_exit
finish_load(struct load *load, enum cli_exit result)
{
    for (unsigned i = 0; load->bots != NULL && i < load->begun_count; i++) {
        load_bot_destroy(load->bots[i]);
    }
    for (size_t i = 0; i < load->world_count; i++) {
        if (load->worlds[i].joined != NULL) {
            free(load->worlds[i].joined->bodies);
            free(load->worlds[i].joined);
        }
    }
    free(load->bots);
    free(load->worlds);
    enum cli_exit closed = cli_shown_close(&load->shown);
    free(load);
    return closed > result ? closed : result;
}

static enum cli_exit
begin_shown(struct load *load, const char *path)
{
    enum cli_exit result = cli_shown_check_subscribe(&load->subscribe);
    return result == CLI_DONE ? cli_shown_create(&load->shown, path) : result;
}

static enum cli_exit
load_and_report(struct load *load, const struct load_options *options)
{
    load->bots = calloc(load->bot_count, sizeof(struct load_bot *));
    if (load->bots == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    enum cli_exit result = run_bots(load);
    if (result != CLI_DONE) {
        return result;
    }
    if (load->joined_ever == 0 && !load->is_interrupted) {
        cli_complain("no bot could join: %s",
            load->stats.error_count > 0 ? load->stats.errors[0].text : "the daemon is silent");
        return CLI_COULD_NOT;
    }
    if (strcmp(options->format, "json") == 0) {
        load_print_json(load, stdout);
    } else {
        load_print_table(load, stdout);
    }
    return judge_load(load, options);
}

enum cli_exit
load_run(const struct load_options *options)
{
    struct load *load = calloc(1, sizeof(*load));
    if (load == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    enum cli_exit result = cli_remote_init(
        &load->remote, options->server, options->ca, options->token);
    if (result == CLI_DONE) {
        result = read_options(load, options);
    }
    if (result == CLI_DONE) {
        result = raise_files(load->bot_count);
    }
    if (result == CLI_DONE && options->shown != NULL) {
        result = begin_shown(load, options->shown);
    }
    if (result == CLI_DONE) {
        result = options->create > 0 ? create_worlds(load, options) : choose_worlds(load, options);
    }
    if (result == CLI_DONE) {
        result = load_and_report(load, options);
        if (options->create > 0) {
            cli_remote_remove(&load->remote, WORLD_PREFIX, (size_t)options->create);
        }
    }
    return finish_load(load, result);
}
