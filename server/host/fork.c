#include "server/host/fork.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/host.h"
#include "server/host/round.h"
#include "server/host/worker.h"
#include "server/past/seek.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { FORK, SEEK, MORE, TIMELINE };

struct sv_dig {
    struct sv_job job; /* first, so that a job's address is its dig's */
    struct sv_host *host;
    struct sv_dig *next;
    enum kind kind;
    struct sv_asker asker;
    /* serials: of the world whose past it is; of the replay, with SEEK and MORE */
    unsigned origin, replay;
    struct sv_seek seek;
    struct wire_fork fork;
    struct sv_crowd crowd;
    struct sv_seed *seed; /* NULL: refused */
    char *text;
    struct wire_error error;
};

static struct sv_host_world *
find_serial(const struct sv_host *host, unsigned serial)
{
    for (int i = 0; i < host->world_count; i++) {
        if (host->worlds[i]->serial == serial && host->worlds[i]->is_ready) {
            return host->worlds[i];
        }
    }
    return NULL;
}

/* ---- on the pool ---- */

static void
run_dig(struct sv_job *job)
{
    struct sv_dig *dig = (struct sv_dig *)job;
    if (atomic_load(&dig->host->is_stopping)) {
        wire_error_set(&dig->error, "STOPPING", "", "the daemon is stopping");
    } else if (dig->kind == TIMELINE) {
        dig->text = sv_seek_timeline(&dig->seek, &dig->error);
    } else {
        dig->seed = sv_seek_seed(&dig->seek, &dig->error);
    }
}

/* ---- the result ---- */

static void
report_dig(struct sv_dig *dig, struct sv_host_world *world, enum sv_report_kind kind, char *text)
{
    struct sv_outcome outcome = {.error = dig->error, .text = text};
    struct sv_report said = {.kind = kind, .asker = dig->asker, .outcome_take = &outcome};
    dig->host->events.reported(dig->host->events.context, world, &said);
    free(outcome.text);
}

void
sv_fork_name(
    const struct wire_fork *fork, const char *origin, int number, char id[WIRE_NAME_SIZE])
{
    const char *tail = fork->replay ? "replay" : "fork";
    if (fork->each) {
        const char *base = fork->id[0] != '\0' ? fork->id : origin;
        snprintf(id, WIRE_NAME_SIZE, "%.50s-%d", base, number);
    } else if (fork->id[0] != '\0') {
        snprintf(id, WIRE_NAME_SIZE, "%s", fork->id);
    } else if (number == 1) {
        snprintf(id, WIRE_NAME_SIZE, "%.44s-%s", origin, tail);
    } else {
        snprintf(id, WIRE_NAME_SIZE, "%.44s-%s-%d", origin, tail, number);
    }
}

/* Makes a world from the seed; takes the seed. */
static bool
grow_world(
    struct sv_dig *dig, const char *id, struct sv_seed *seed_take, const struct sv_asker *asker)
{
    struct sv_host *host = dig->host;
    const struct wire_fork *fork = &dig->fork;
    const struct sv_growth how = {.scene_take = sv_scene_ref(seed_take->scene),
        .seed_take = seed_take,
        .is_paused = fork->paused,
        .is_replay = fork->replay,
        .speed = fork->speed};
    if (!sv_host_grow_world(host, id, &how, asker, &dig->error)) {
        return false;
    }
    CN_ASSERT(host->world_count > 0);
    struct sv_host_world *world = host->worlds[host->world_count - 1];
    world->made = fork->replay ? SV_MADE_REPLAY : SV_MADE_FORK;
    world->maker = dig->asker; /* not the session of the crowd that gets the world */
    world->origin = fork->replay ? dig->origin : 0;
    world->end_tick = fork->replay ? dig->seek.newest : 0;
    return true;
}

/* Requests a world for each of the crowd; false: not all could be requested. */
static bool
grow_each(struct sv_dig *dig, struct sv_round *round)
{
    CN_ASSERT(dig->crowd.count > 0 && dig->crowd.count <= SV_FORK_EACH_MAX);
    struct sv_host *host = dig->host;
    for (int i = 0, n = 1; i < dig->crowd.count; i++, n++) {
        char id[WIRE_NAME_SIZE];
        do {
            sv_fork_name(&dig->fork, dig->seek.id, n, id);
        } while (sv_host_has(host, id) && n++ < 100000);
        struct sv_seed *seed = sv_seed_copy(dig->seed);
        if (seed == NULL) {
            wire_error_set(&dig->error, "MEMORY", "", "no memory");
            return false;
        }
        if (!grow_world(dig, id, seed, &dig->crowd.asker[i])) {
            return false;
        }
        sv_round_add(round, host->worlds[host->world_count - 1]);
    }
    return true;
}

/* False when the round cannot begin.  Otherwise the round answers the asker. */
static bool
begin_round(struct sv_dig *dig)
{
    struct sv_round *round =
        sv_round_begin(dig->host, dig->origin, &dig->crowd, &dig->asker);
    if (round == NULL) {
        wire_error_set(&dig->error, "MEMORY", "", "no memory");
        return false;
    }
    bool is_done = grow_each(dig, round);
    sv_round_close(dig->host, round, is_done ? NULL : &dig->error);
    return true;
}

static void
finish_fork(struct sv_dig *dig)
{
    CN_ASSERT(dig->kind == FORK && dig->replay == 0);
    char id[WIRE_NAME_SIZE];
    bool is_done = dig->seed != NULL;
    if (is_done && dig->fork.each) {
        is_done = begin_round(dig);
    } else if (is_done) {
        int number = 1;
        do {
            sv_fork_name(&dig->fork, dig->seek.id, number++, id);
        } while (dig->fork.id[0] == '\0' && sv_host_has(dig->host, id));
        struct sv_seed *seed = dig->seed;
        dig->seed = NULL;
        is_done = grow_world(dig, id, seed, &dig->asker);
    }
    if (!is_done) {
        report_dig(dig, NULL, SV_REPORT_REFUSED, NULL);
    }
}

static void
finish_seek(struct sv_dig *dig)
{
    struct sv_host *host = dig->host;
    struct sv_host_world *replay = find_serial(host, dig->replay);
    if (replay == NULL) {
        return;
    }
    CN_ASSERT(replay->is_digging); /* one dig at a time */
    replay->is_digging = false;
    if (dig->seed == NULL) {
        if (dig->kind == SEEK) {
            report_dig(dig, NULL, SV_REPORT_REFUSED, NULL);
        }
    } else {
        struct sv_message message = {.kind = SV_MESSAGE_SEEK,
            .asker = dig->asker,
            .seek = {.seed_take = dig->seed, .is_more = dig->kind == MORE}};
        replay->end_tick = dig->seed->end_tick;
        dig->seed = NULL;
        if (!sv_host_send(host, replay, &message, &dig->error) && dig->kind == SEEK) {
            report_dig(dig, NULL, SV_REPORT_REFUSED, NULL);
        }
    }
    if (replay->has_next_seek) {
        replay->has_next_seek = false;
        dig->asker = replay->next_asker;
        if (!sv_fork_seek(host, replay, &replay->next_seek, &dig->asker, &dig->error)) {
            report_dig(dig, NULL, SV_REPORT_REFUSED, NULL);
        }
    }
}

static void
forget_dig(struct sv_dig *dig)
{
    struct sv_dig **at = &dig->host->digs;
    while (*at != dig) {
        CN_ASSERT(*at != NULL); /* every dig is on the list */
        at = &(*at)->next;
    }
    *at = dig->next;
    CN_ASSERT(dig->host->dig_count > 0);
    dig->host->dig_count--;
    sv_seed_destroy(dig->seed);
    free(dig->text);
    free(dig);
}

static void
finish_dig(struct sv_job *job)
{
    struct sv_dig *dig = (struct sv_dig *)job;
    bool is_stopping = atomic_load(&dig->host->is_stopping);
    if (dig->kind == TIMELINE) {
        char *text = dig->text;
        dig->text = NULL;
        struct sv_host_world *world = find_serial(dig->host, dig->origin);
        bool is_good = text != NULL && world != NULL;
        if (text != NULL && world == NULL) {
            wire_error_set(&dig->error, "WORLD", "", "the world was removed");
        }
        report_dig(dig, is_good ? world : NULL, is_good ? SV_REPORT_ANSWERED : SV_REPORT_REFUSED,
            text);
    } else if (is_stopping) {
        wire_error_set(&dig->error, "STOPPING", "", "the daemon is stopping");
        report_dig(dig, NULL, SV_REPORT_REFUSED, NULL);
    } else if (dig->kind == FORK) {
        finish_fork(dig);
    } else {
        finish_seek(dig);
    }
    forget_dig(dig);
}

/* ---- beginning ---- */

static bool
has_past(const struct sv_host *host, const struct sv_host_world *world, struct wire_error *error)
{
    const struct sv_worker *worker = host->workers[world->worker];
    if (world->is_ready && worker->env.has_past && worker->env.store != NULL &&
        world->status.durability != WIRE_DURABILITY_NONE && world->mailbox.number != 0) {
        return true;
    }
    wire_error_set(error, "STATE", "world", "%s is kept of the past of %s",
        worker->env.has_past ? "nothing" : "by --history 0 nothing", world->mailbox.id);
    return false;
}

static bool
has_room(const struct sv_host *host, const struct sv_asker *asker, struct wire_error *error)
{
    int own_count = 0;
    for (const struct sv_dig *dig = host->digs; dig != NULL; dig = dig->next) {
        own_count += dig->kind != MORE && dig->asker.session == asker->session ? 1 : 0;
    }
    if ((asker->session != 0 && own_count >= SV_DIGS_SESSION_MAX) ||
        host->dig_count >= SV_DIGS_MAX) {
        wire_error_set(error, "BUSY", "", "%d ticks of the past are being sought already",
            host->dig_count);
        error->retry_ms = SV_BUSY_RETRY_MS;
        return false;
    }
    return true;
}

/* Takes the dig.  False with *error filled; then the dig is destroyed. */
static bool
start_dig(struct sv_dig *dig, struct sv_host_world *origin, struct wire_error *error)
{
    CN_ASSERT(dig->seed == NULL && dig->text == NULL);
    struct sv_host *host = dig->host;
    const struct sv_worker *worker = host->workers[origin->worker];
    struct sv_seek *seek = &dig->seek;
    dig->job = (struct sv_job){.work = run_dig, .done = finish_dig};
    dig->origin = origin->serial;
    seek->store = worker->env.store;
    seek->clock = worker->env.clock;
    seek->metrics = worker->env.metrics;
    seek->simd = worker->env.simd;
    seek->meshes = worker->env.meshes;
    seek->number = origin->mailbox.number;
    memcpy(seek->id, origin->mailbox.id, sizeof(seek->id));
    seek->series = origin->status.series;
    bool is_second = origin->status.durability == WIRE_DURABILITY_SECOND;
    bool is_safe = is_second && origin->safe.series == origin->status.series;
    seek->newest = is_safe ? origin->safe.tick : origin->status.tick;
    seek->is_durable = is_safe || origin->status.durability == WIRE_DURABILITY_TICK;
    seek->tick_rate = origin->status.tick_rate;
    dig->next = host->digs;
    host->digs = dig;
    host->dig_count++;
    if (host->pool.start == NULL) {
        run_dig(&dig->job);
        finish_dig(&dig->job);
        return true;
    }
    if (!host->pool.start(host->pool.context, &dig->job)) {
        forget_dig(dig);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    return true;
}

static struct sv_dig *
make_dig(
    struct sv_host *host, enum kind kind, const struct sv_asker *asker, struct wire_error *error)
{
    struct sv_dig *dig = calloc(1, sizeof(*dig));
    if (dig == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    dig->host = host;
    dig->kind = kind;
    dig->asker = *asker;
    return dig;
}

int
sv_fork_count(const struct sv_host *host, enum sv_made made, const struct sv_asker *asker,
    enum sv_principal principal)
{
    int count = 0;
    for (const struct sv_dig *dig = host->digs; dig != NULL; dig = dig->next) {
        bool is_it = dig->kind == FORK && dig->fork.replay == (made == SV_MADE_REPLAY) &&
            sv_asker_is(&dig->asker, asker, principal);
        count += !is_it ? 0 : dig->fork.each ? dig->crowd.count : 1;
    }
    return count;
}

/* Includes the replays that are being made. */
static int
replay_count(const struct sv_host *host)
{
    int count = 0;
    for (const struct sv_dig *dig = host->digs; dig != NULL; dig = dig->next) {
        count += dig->kind == FORK && dig->fork.replay ? 1 : 0;
    }
    for (int i = 0; i < host->world_count; i++) {
        count += host->worlds[i]->origin != 0 ? 1 : 0;
    }
    return count;
}

bool
sv_fork_begin(struct sv_host *host, struct sv_host_world *world, const struct wire_fork *fork,
    const struct sv_crowd *crowd, const struct sv_asker *asker, struct wire_error *error)
{
    if (!has_past(host, world, error) || !has_room(host, asker, error)) {
        return false;
    }
    if (fork->each && (crowd == NULL || crowd->count == 0)) {
        wire_error_set(error, "STATE", "fork.each", "the world has no members but instructors");
        return false;
    }
    if (fork->each && crowd->count > SV_FORK_EACH_MAX) {
        wire_error_set(error, "LIMIT", "fork.each",
            "would make one world for each of %d people; at most %d are made at once", crowd->count,
            SV_FORK_EACH_MAX);
        return false;
    }
    if (fork->each && host->world_count + crowd->count > host->worlds_max) {
        wire_error_set(error, "FULL", "",
            "%d worlds exist; %d more would exceed the limit of %d", host->world_count,
            crowd->count, host->worlds_max);
        return false;
    }
    if (fork->replay && replay_count(host) >= SV_REPLAYS_MAX) {
        wire_error_set(error, "FULL", "", "%d replays exist, which is the limit", SV_REPLAYS_MAX);
        return false;
    }
    if (!fork->each && fork->id[0] != '\0' && sv_host_has(host, fork->id)) {
        wire_error_set(error, "TAKEN", "id", "is the id of another world");
        return false;
    }
    struct sv_dig *dig = make_dig(host, FORK, asker, error);
    if (dig == NULL) {
        return false;
    }
    dig->fork = *fork;
    if (fork->each) {
        dig->crowd = *crowd;
    }
    dig->seek.tick = fork->tick;
    dig->seek.wants_newest = !fork->has_tick;
    dig->seek.wants_records = fork->replay;
    return start_dig(dig, world, error);
}

static bool
send_speed(struct sv_host *host, struct sv_host_world *world, const struct wire_seek *seek,
    const struct sv_asker *asker, struct wire_error *error)
{
    struct sv_message message = {.kind = SV_MESSAGE_SEEK,
        .asker = *asker,
        .seek = {.has_speed = true, .speed = seek->speed}};
    return sv_host_send(host, world, &message, error);
}

bool
sv_fork_seek(struct sv_host *host, struct sv_host_world *world, const struct wire_seek *seek,
    const struct sv_asker *asker, struct wire_error *error)
{
    if (world->origin == 0) {
        wire_error_set(error, "STATE", "seek", "%s is no REPLAY; fork one", world->mailbox.id);
        return false;
    }
    if (seek->has_speed && !send_speed(host, world, seek, asker, error)) {
        return false;
    }
    struct sv_host_world *origin = find_serial(host, world->origin);
    if (!seek->has_tick) {
        return true;
    }
    if (origin == NULL) {
        wire_error_set(error, "WORLD", "", "the world that this one shows was removed");
        return false;
    }
    if (world->is_digging) {
        world->has_next_seek = true;
        world->next_seek = *seek;
        world->next_seek.has_speed = false;
        world->next_asker = *asker;
        return true;
    }
    struct sv_dig *dig = make_dig(host, SEEK, asker, error);
    if (dig == NULL) {
        return false;
    }
    dig->replay = world->serial;
    dig->seek.tick = seek->tick;
    dig->seek.wants_records = true;
    world->is_digging = true;
    if (start_dig(dig, origin, error)) {
        return true;
    }
    world->is_digging = false;
    return false;
}

bool
sv_fork_timeline(struct sv_host *host, struct sv_host_world *world, const struct sv_asker *asker,
    struct wire_error *error)
{
    struct sv_dig *dig = has_past(host, world, error) && has_room(host, asker, error)
                             ? make_dig(host, TIMELINE, asker, error)
                             : NULL;
    return dig != NULL && start_dig(dig, world, error);
}

/* ---- tending ---- */

/* Fetches the following records when two seconds are left to play and the origin has gone on. */
static void
fetch_more(struct sv_host *host, struct sv_host_world *world)
{
    struct wire_error ignored;
    const struct wire_status *status = &world->status;
    struct sv_host_world *origin = find_serial(host, world->origin);
    double ahead = 2.0 * status->tick_rate * (status->speed > 1.0 ? status->speed : 1.0);
    if (origin == NULL || world->is_digging || world->seats == NULL || status->speed == 0.0 ||
        origin->status.tick <= world->end_tick || world->end_tick != status->end_tick ||
        (double)status->end_tick - (double)status->tick > ahead) {
        return;
    }
    const struct sv_asker nobody = {0};
    struct sv_dig *dig = make_dig(host, MORE, &nobody, &ignored);
    if (dig == NULL) {
        return;
    }
    dig->replay = world->serial;
    dig->seek.tick = world->end_tick;
    dig->seek.wants_records = true;
    world->is_digging = true;
    if (!start_dig(dig, origin, &ignored)) {
        world->is_digging = false;
    }
}

void
sv_fork_tend(struct sv_host *host, uint64_t now_ns)
{
    for (int i = 0; i < host->world_count; i++) {
        struct sv_host_world *world = host->worlds[i];
        if (world->origin == 0 || !world->is_ready) {
            continue;
        }
        if (world->seats != NULL || world->watched_ns == 0) {
            world->watched_ns = now_ns;
        }
        if (now_ns - world->watched_ns >= SV_REPLAY_IDLE_NS) {
            struct wire_error ignored;
            const struct sv_asker nobody = {0};
            (void)sv_host_remove_world(host, world, &nobody, &ignored);
        } else {
            fetch_more(host, world);
        }
    }
}
