#include "server/host/round.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

struct sv_round {
    struct sv_round *next;
    unsigned origin;
    struct sv_asker asker;
    struct sv_crowd crowd;
    /* in the order of the crowd; NULL: it has been removed again */
    struct sv_host_world *worlds[SV_FORK_EACH_MAX];
    int world_count;
    int awaited_count; /* worlds that are still being made */
    bool is_closed, is_failed, is_told;
    struct wire_error error;
};

struct sv_round *
sv_round_begin(struct sv_host *host, unsigned origin, const struct sv_crowd *crowd,
    const struct sv_asker *asker)
{
    struct sv_round *round = calloc(1, sizeof(*round));
    if (round != NULL) {
        round->origin = origin;
        round->asker = *asker;
        round->crowd = *crowd;
        round->next = host->rounds;
        host->rounds = round;
    }
    return round;
}

void
sv_round_add(struct sv_round *round, struct sv_host_world *world)
{
    CN_ASSERT(!round->is_closed && world->round == NULL && round->world_count < round->crowd.count);
    world->round = round;
    round->worlds[round->world_count++] = world;
    round->awaited_count++;
}

/* Notes the error; the first one is the one that is reported. */
static void
fail_round(struct sv_round *round, const struct wire_error *error)
{
    if (round->is_failed) {
        return;
    }
    round->is_failed = true;
    wire_error_set(&round->error, error->code, "", "none of the %d worlds is made: %.150s",
        round->crowd.count, error->text);
    round->error.retry_ms = error->retry_ms;
}

static void
forget_round(struct sv_host *host, struct sv_round *round)
{
    struct sv_round **at = &host->rounds;
    while (*at != round) {
        CN_ASSERT(*at != NULL);
        at = &(*at)->next;
    }
    *at = round->next;
    free(round);
}

/* ---- the end ---- */

static void
report_round(struct sv_host *host, struct sv_host_world *world, enum sv_report_kind kind,
    const struct sv_asker *asker, struct sv_outcome *outcome)
{
    const struct sv_report said = {.kind = kind, .asker = *asker, .outcome_take = outcome};
    host->events.reported(host->events.context, world, &said);
}

/* All worlds exist: reports CREATED to their owners and DONE to the asker. */
static void
give_worlds(struct sv_host *host, struct sv_round *round)
{
    CN_ASSERT(round->world_count == round->crowd.count && round->awaited_count == 0);
    /* stands in for the origin if that has been removed meanwhile */
    struct sv_host_world *origin = round->worlds[0];
    for (int i = 0; i < host->world_count; i++) {
        origin = host->worlds[i]->serial == round->origin ? host->worlds[i] : origin;
    }
    for (int i = 0; i < round->world_count; i++) {
        round->worlds[i]->is_ready = true;
        round->worlds[i]->round = NULL;
    }
    for (int i = 0; i < round->world_count; i++) {
        report_round(host, round->worlds[i], SV_REPORT_CREATED, &round->crowd.asker[i], NULL);
    }
    report_round(host, origin, SV_REPORT_DONE, &round->asker, NULL);
    forget_round(host, round);
}

/* Removes the worlds of the round.  A removal that the worker's ring has no room for is retried. */
static void
take_back(struct sv_host *host, struct sv_round *round)
{
    const struct sv_asker nobody = {0};
    bool is_left = false;
    for (int i = 0; i < round->world_count; i++) {
        struct sv_host_world *world = round->worlds[i];
        is_left = is_left || world != NULL;
        if (world != NULL && !world->is_removing) {
            struct wire_error ignored;
            (void)sv_host_remove_world(host, world, &nobody, &ignored);
        }
    }
    if (!round->is_told) {
        struct sv_outcome outcome = {.error = round->error};
        round->is_told = true;
        report_round(host, NULL, SV_REPORT_REFUSED, &round->asker, &outcome);
    }
    if (!is_left) {
        forget_round(host, round);
    }
}

/* Ends the round once every world has been made or refused. */
static void
settle_round(struct sv_host *host, struct sv_round *round)
{
    CN_ASSERT(round->awaited_count >= 0 && round->awaited_count <= round->world_count);
    if (!round->is_closed || round->awaited_count > 0) {
        return;
    }
    if (round->is_failed) {
        take_back(host, round);
    } else {
        give_worlds(host, round);
    }
}

void
sv_round_close(struct sv_host *host, struct sv_round *round, const struct wire_error *error)
{
    CN_ASSERT(!round->is_closed);
    round->is_closed = true;
    if (error != NULL) {
        fail_round(round, error);
    }
    settle_round(host, round);
}

/* ---- reports from workers ---- */

static void
note_refused(struct sv_round *round, struct sv_host_world *world, const struct sv_report *said)
{
    struct wire_error error;
    wire_error_set(&error, "MEMORY", "", "no memory for the reason");
    fail_round(round, said->outcome_take != NULL ? &said->outcome_take->error : &error);
    world->is_removing = true; /* its REMOVED follows */
}

static void
note_removed(struct sv_round *round, const struct sv_host_world *world)
{
    for (int i = 0; i < round->world_count; i++) {
        round->worlds[i] = round->worlds[i] != world ? round->worlds[i] : NULL;
    }
}

bool
sv_round_hears(
    struct sv_host *host, struct sv_host_world *world, const struct sv_report *said)
{
    struct sv_round *round = world->round;
    switch (said->kind) {
    case SV_REPORT_CREATED:
        round->awaited_count--;
        break;
    case SV_REPORT_REFUSED:
        round->awaited_count--;
        note_refused(round, world, said);
        break;
    case SV_REPORT_STAYS:
        world->is_removing = false; /* sv_round_tend asks again */
        return true;
    case SV_REPORT_REMOVED:
        note_removed(round, world);
        break;
    default:
        return false;
    }
    settle_round(host, round);
    return true;
}

void
sv_round_tend(struct sv_host *host)
{
    struct sv_round *next;
    for (struct sv_round *round = host->rounds; round != NULL; round = next) {
        next = round->next;
        if (round->is_told) {
            take_back(host, round);
        }
    }
}

void
sv_round_finish_all(struct sv_host *host)
{
    while (host->rounds != NULL) {
        forget_round(host, host->rounds);
    }
}
