#include "server/host/round.h"

#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

struct sv_round {
    struct sv_round *next;
    unsigned origin;
    struct sv_asker asker;
    struct sv_crowd crowd;
    struct sv_host_world *worlds[SV_FORK_EACH_MAX]; /* as the crowd; NULL: it is gone again */
    int world_count;
    int awaited_count; /* of them that are being made */
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
    world->round = round;
    round->worlds[round->world_count++] = world;
    round->awaited_count++;
}

/* The first reason is the one that is told. */
static void
fail(struct sv_round *round, const struct wire_error *error)
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
forget(struct sv_host *host, struct sv_round *round)
{
    struct sv_round **at = &host->rounds;
    while (*at != round) {
        at = &(*at)->next;
    }
    *at = round->next;
    free(round);
}

/* ---- the end ---- */

static void
report(struct sv_host *host, struct sv_host_world *world, enum sv_report_kind kind,
    const struct sv_asker *asker, struct sv_outcome *outcome)
{
    const struct sv_report said = {.kind = kind, .asker = *asker, .outcome_take = outcome};
    host->events.reported(host->events.context, world, &said);
}

/* Everybody's world is there. */
static void
give(struct sv_host *host, struct sv_round *round)
{
    struct sv_host_world *origin = round->worlds[0]; /* where the other has been removed since */
    for (int i = 0; i < host->world_count; i++) {
        origin = host->worlds[i]->serial == round->origin ? host->worlds[i] : origin;
    }
    for (int i = 0; i < round->world_count; i++) {
        round->worlds[i]->is_ready = true;
        round->worlds[i]->round = NULL;
    }
    for (int i = 0; i < round->world_count; i++) {
        report(host, round->worlds[i], SV_REPORT_CREATED, &round->crowd.asker[i], NULL);
    }
    report(host, origin, SV_REPORT_DONE, &round->asker, NULL);
    forget(host, round);
}

/* Asks for the end of what is there; what the worker takes no letter for is asked for again. */
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
        report(host, NULL, SV_REPORT_REFUSED, &round->asker, &outcome);
    }
    if (!is_left) {
        forget(host, round);
    }
}

/* What there is to do once every world has been made or refused. */
static void
settle(struct sv_host *host, struct sv_round *round)
{
    if (!round->is_closed || round->awaited_count > 0) {
        return;
    }
    if (round->is_failed) {
        take_back(host, round);
    } else {
        give(host, round);
    }
}

void
sv_round_close(struct sv_host *host, struct sv_round *round, const struct wire_error *error)
{
    round->is_closed = true;
    if (error != NULL) {
        fail(round, error);
    }
    settle(host, round);
}

/* ---- what workers say ---- */

static void
refused(struct sv_round *round, struct sv_host_world *world, const struct sv_report *said)
{
    struct wire_error error;
    wire_error_set(&error, "MEMORY", "", "no memory to say why");
    fail(round, said->outcome_take != NULL ? &said->outcome_take->error : &error);
    world->is_removing = true; /* its REMOVED follows */
}

static void
removed(struct sv_round *round, const struct sv_host_world *world)
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
        refused(round, world, said);
        break;
    case SV_REPORT_STAYS:
        world->is_removing = false; /* sv_round_tend asks again */
        return true;
    case SV_REPORT_REMOVED:
        removed(round, world);
        break;
    default:
        return false;
    }
    settle(host, round);
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
        forget(host, host->rounds);
    }
}
