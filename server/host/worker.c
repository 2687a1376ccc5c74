#include "server/host/worker.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/publication.h"

#include <stdlib.h>
#include <string.h>

bool
sv_worker_init(struct sv_worker *worker, struct sv_clock clock, struct sv_log *log,
    struct sv_metrics *metrics, bool keep_running)
{
    memset(worker, 0, sizeof(*worker));
    worker->clock = clock;
    worker->log = log;
    worker->metrics = metrics;
    worker->tools.metrics = metrics;
    worker->keep_running = keep_running;
    return sv_ring_init(&worker->letters, sizeof(struct sv_letter), SV_MAIL_MAX) &&
        sv_ring_init(&worker->reports, sizeof(struct sv_report), SV_MAIL_MAX);
}

void
sv_worker_finish(struct sv_worker *worker)
{
    struct sv_letter letter;
    struct sv_report report;
    for (int i = 0; i < worker->world_count; i++) {
        sv_world_destroy(worker->worlds[i]);
    }
    cn_scratch_finish(&worker->scratch);
    sv_view_tools_finish(&worker->tools);
    free(worker->worlds);
    worker->worlds = NULL;
    worker->world_count = 0;
    while (worker->letters.items != NULL && sv_ring_pop(&worker->letters, &letter)) {
        sv_letter_finish(&letter);
    }
    while (worker->reports.items != NULL && sv_ring_pop(&worker->reports, &report)) {
        sv_report_finish(&report);
    }
    sv_ring_finish(&worker->letters);
    sv_ring_finish(&worker->reports);
}

void
sv_worker_report(struct sv_worker *worker, struct sv_report *report)
{
    bool is_put = sv_ring_push(&worker->reports, report);
    CN_ASSERT(is_put);
    worker->has_news = true;
}

bool
sv_worker_has_room(struct sv_worker *worker)
{
    return sv_ring_room(&worker->reports) >= SV_MAIL_RESERVE;
}

static bool
make_room(struct sv_worker *worker)
{
    if (worker->world_count < worker->world_capacity) {
        return true;
    }
    int capacity = worker->world_capacity * 2 + 8;
    struct sv_world **worlds =
        realloc(worker->worlds, (size_t)capacity * sizeof(struct sv_world *));
    if (worlds == NULL) {
        return false;
    }
    worker->worlds = worlds;
    worker->world_capacity = capacity;
    return true;
}

/* A world that can not be made is reported as refused, and its post as forgotten. */
static void
create_world(struct sv_worker *worker, struct sv_letter *letter)
{
    struct wire_error error;
    struct sv_world *world = NULL;
    if (make_room(worker)) {
        world = sv_world_create(worker, letter->post, letter->scene_take, &error);
    } else {
        sv_scene_unref(letter->scene_take);
        wire_error_set(&error, "MEMORY", "", "no memory");
    }
    if (world != NULL) {
        worker->worlds[worker->world_count++] = world;
        letter->post->world = world;
        sv_world_answer(world, SV_REPORT_CREATED, &letter->asker, 0, NULL);
        SV_COUNT(worker->metrics, worlds, 1);
        return;
    }
    struct sv_report report = {
        .kind = SV_REPORT_REFUSED, .post = letter->post, .asker = letter->asker};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        report.outcome_take->error = error;
    }
    sv_worker_report(worker, &report);
    report = (struct sv_report){.kind = SV_REPORT_REMOVED, .post = letter->post};
    sv_worker_report(worker, &report);
}

static void
remove_world(struct sv_worker *worker, struct sv_letter *letter)
{
    struct sv_world *world = letter->post->world;
    for (int i = 0; i < worker->world_count; i++) {
        if (worker->worlds[i] == world) {
            memmove(&worker->worlds[i], &worker->worlds[i + 1],
                (size_t)(worker->world_count - i - 1) * sizeof(struct sv_world *));
            worker->world_count--;
            break;
        }
    }
    sv_world_destroy(world);
    letter->post->world = NULL;
    SV_UNCOUNT(worker->metrics, worlds, 1);
    struct sv_report report = {
        .kind = SV_REPORT_REMOVED, .post = letter->post, .asker = letter->asker};
    sv_worker_report(worker, &report);
}

static void
open_letters(struct sv_worker *worker)
{
    struct sv_letter letter;
    while (sv_worker_has_room(worker) && sv_ring_pop(&worker->letters, &letter)) {
        if (letter.kind == SV_LETTER_CREATE) {
            create_world(worker, &letter);
        } else if (letter.post->world == NULL) {
            sv_letter_finish(&letter); /* of a world that could not be made */
        } else if (letter.kind == SV_LETTER_REMOVE) {
            remove_world(worker, &letter);
        } else {
            sv_world_receive(letter.post->world, &letter);
        }
    }
}

uint64_t
sv_worker_run(struct sv_worker *worker)
{
    open_letters(worker);
    uint64_t next_ns = UINT64_MAX;
    for (int i = 0; i < worker->world_count; i++) {
        uint64_t now_ns = sv_clock_now_ns(&worker->clock);
        uint64_t wanted_ns = sv_world_run(worker->worlds[i], now_ns);
        next_ns = wanted_ns < next_ns ? wanted_ns : next_ns;
    }
    return next_ns;
}
