/*
 * Checks the journal, record by record, as each becomes durable: it has every acknowledged input
 * once and in order.  The worlds are also replayed from it.
 */
#include "tests/sim/sim.h"

#include "engine/state/image.h"
#include "server/store/store_inside.h"
#include "server/world/act/world_life.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

struct sim_sample *
sim_sample(struct sim *sim, uint64_t world, uint64_t epoch, uint32_t generation, uint64_t tick)
{
    uint64_t mixed = (world * 31 + epoch) * UINT64_C(0x9e3779b97f4a7c15) +
        generation * UINT64_C(0xbf58476d1ce4e5b9) + tick;
    mixed *= UINT64_C(0x94d049bb133111eb);
    size_t at = (size_t)(mixed >> 40) % SIM_SAMPLES_MAX;
    for (int i = 0; i < 64; i++, at = (at + 1) % SIM_SAMPLES_MAX) {
        struct sim_sample *sample = &sim->ledger.samples[at];
        if (!sample->is_used) {
            sample->is_used = true;
            sample->world = world;
            sample->epoch = epoch;
            sample->generation = generation;
            sample->tick = tick;
            sim->count.samples++;
            return sample;
        }
        if (sample->world == world && sample->epoch == epoch &&
            sample->generation == generation && sample->tick == tick) {
            return sample;
        }
    }
    return NULL; /* not looked at */
}

/* ---- worlds ---- */

/* Known from when it is in the directory; NULL: none of the plan's. */
struct sim_world *
sim_world_find(struct sim *sim, uint64_t number)
{
    struct sim_ledger *ledger = &sim->ledger;
    for (int i = 0; i < ledger->world_count; i++) {
        if (ledger->worlds[i].number == number) {
            return &ledger->worlds[i];
        }
    }
    const struct sv_host *host = &sim->server.host;
    for (int i = 0; i < host->world_count; i++) {
        int index = host->worlds[i]->mailbox.id[1] - '0';
        if (host->worlds[i]->mailbox.number == number && index >= 0 &&
            index < sim->plan.world_count && ledger->world_count < 64) {
            struct sim_world *world = &ledger->worlds[ledger->world_count++];
            memset(world, 0, sizeof(*world));
            world->number = number;
            world->index = index;
            world->durability = sim->plan.durability[index];
            return world;
        }
    }
    return NULL;
}

/* ---- entries ---- */

static void
see_settled(struct sim *sim, const struct sv_record *record, const struct dd_entry *entry)
{
    struct sim_session *session =
        sim_session_find(sim, record->epoch, entry->settled.session);
    if (session == NULL) {
        return; /* its Welcome was lost on the way, or it is no client's */
    }
    uint64_t seq = entry->settled.seq;
    if (seq <= session->settled || (seq > session->count && !session->is_wild)) {
        sim_fail(sim, SIM_ACK_KEPT,
            "record %" PRIu64 ": input %" PRIu64 " of session %" PRIu64 " after %" PRIu64
            " of %" PRIu64,
            record->number, seq, session->id, session->settled, session->count);
    }
    session->settled = seq;
    if (seq <= session->count) {
        session->inputs[seq - 1].is_settled = true;
    }
}

static void
see_command(struct sim *sim, const struct sv_record *record, const struct cn_command *command)
{
    bool is_drag = command->kind == CN_COMMAND_HOLD_DRAG;
    bool is_force = command->kind == CN_COMMAND_HOLD_FORCE;
    if (!is_drag && !is_force) {
        return;
    }
    uint64_t source =
        is_drag ? command->hold_drag.holder.source : command->hold_force.holder.source;
    double value = is_drag ? command->hold_drag.target.x : command->hold_force.force.x;
    struct sim_session *session = sim_session_find(sim, record->epoch, source);
    if (session == NULL || session->is_wild) {
        return;
    }
    uint64_t seq = session->settled;
    if (seq == 0 || session->inputs[seq - 1].value != value ||
        session->inputs[seq - 1].is_applied) {
        sim_fail(sim, SIM_ACK_KEPT,
            "record %" PRIu64 ": what session %" PRIu64 " did is not its input %" PRIu64,
            record->number, session->id, seq);
    }
    session->inputs[seq - 1].is_applied = true;
}

static void
see_entries(struct sim *sim, const struct sv_record *record)
{
    size_t at = 0;
    while (at < record->entries_size) {
        struct dd_entry entry;
        if (!dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
            sim_fail(sim, SIM_ACK_KEPT, "record %" PRIu64 " can not be read", record->number);
        }
        if (entry.kind == DD_ENTRY_SETTLED) {
            see_settled(sim, record, &entry);
        } else if (entry.kind == DD_ENTRY_COMMAND) {
            see_command(sim, record, &entry.command);
        }
    }
}

/* ---- records ---- */

/* Every so many ticks there is a mark. */
static void
see_mark(struct sim *sim, struct sim_world *world, const struct sv_record *record)
{
    bool is_mark = (record->flags & SV_RECORD_HASH) != 0;
    uint64_t apart = record->tick > world->mark_tick ? record->tick - world->mark_tick : 0;
    if (is_mark || record->tick < world->mark_tick || record->epoch != world->epoch ||
        sim->plan.has[SIM_FULL]) {
        world->mark_tick = record->tick;
    } else if (apart > 3 * SV_HASH_TICKS) {
        sim_fail(sim, SIM_REPLAY_EQUAL, "record %" PRIu64 ": %" PRIu64 " ticks without a mark",
            record->number, apart);
    }
}

static void
see_record(struct sim *sim, const struct sv_record *record)
{
    struct sim_world *world = sim_world_find(sim, record->world);
    if (world == NULL) {
        return;
    }
    if (record->number != world->record + 1 || record->chain != world->chain) {
        sim_fail(sim, SIM_ACK_KEPT, "record %" PRIu64 " of world %" PRIu64 " follows %" PRIu64,
            record->number, record->world, world->record);
    }
    if (record->epoch < world->epoch || record->epoch > sim->server.epoch) {
        sim_fail(sim, SIM_TICK_ORDER, "record %" PRIu64 " of epoch %" PRIu64 " after one of %"
            PRIu64, record->number, record->epoch, world->epoch);
    }
    see_mark(sim, world, record);
    world->record = record->number;
    world->chain = record->crc;
    sim_shadow_record(sim, world, record);
    world->epoch = record->epoch;
    see_entries(sim, record);
}

static bool
see_commit(void *context, const struct sv_row *row)
{
    struct sim *sim = context;
    struct sim_ledger *ledger = &sim->ledger;
    if (row->number == ledger->commit) { /* the one that was read last is still the same */
        if (row->chain != ledger->chain) {
            sim_fail(sim, SIM_ACK_KEPT, "commit %" PRIu64 " is another", row->number);
        }
        return true;
    }
    if (row->number != ledger->commit + 1) {
        sim_fail(sim, SIM_ACK_KEPT, "commit %" PRIu64 " was durable, and is gone",
            ledger->commit);
    }
    ledger->commit = row->number;
    ledger->chain = row->chain;
    ledger->epoch = row->epoch;
    if (row->number > ledger->claim_commit && row->epoch < ledger->claim_epoch) {
        sim_fail(sim, SIM_ONE_DAEMON,
            "commit %" PRIu64 " is of epoch %" PRIu64 ", and %" PRIu64 " has taken the journal",
            row->number, row->epoch, ledger->claim_epoch);
    }
    sim->count.commits++;
    for (size_t at = 0, size; at < row->size; at += size) {
        struct sv_record record;
        if (sv_record_read(row->bytes + at, row->size - at, &record, &size) != SV_RECORD_GOOD) {
            sim_fail(sim, SIM_ACK_KEPT, "commit %" PRIu64 " can not be read", row->number);
        }
        see_record(sim, &record);
    }
    return true;
}

void
sim_ledger_read(struct sim *sim, bool is_boot)
{
    struct sim_ledger *ledger = &sim->ledger;
    struct sv_store *store = sim->server.store;
    struct sv_fault fault;
    if (is_boot && store->head.commit < ledger->commit) {
        sim_fail(sim, SIM_ACK_KEPT,
            "commit %" PRIu64 " was durable, and the journal ends at %" PRIu64, ledger->commit,
            store->head.commit);
    }
    if (store->head.commit == 0) {
        return;
    }
    sim->disk.is_quiet = true;
    bool is_read = store->journal.scan(store->journal.context, SV_ROW_RECORDS,
        ledger->commit > 0 ? ledger->commit : 1, NULL, see_commit, sim, &fault);
    sim->disk.is_quiet = false;
    if (!is_read) {
        sim_fail(sim, SIM_ACK_KEPT, "%s", fault.text);
    }
    for (int i = 0; is_boot && i < ledger->world_count; i++) {
        sim_shadow_extend(sim, &ledger->worlds[i]);
        ledger->worlds[i].ahead_count = 0;
        ledger->worlds[i].seen_tick = UINT64_MAX - 1;
    }
}

/*
 * Checks that the journal holds each input that a client believes to be safe.  A reset may drop
 * early inputs that are still waiting.
 */
void
sim_ledger_check(struct sim *sim)
{
    bool may_be_forgotten = sim->plan.has[SIM_EARLY] && sim->plan.has[SIM_ORDERS];
    for (int i = 0; i < sim->session_count; i++) {
        struct sim_session *session = sim->sessions[i];
        for (; session->checked < session->shown_durable && !session->is_wild;
             session->checked++) {
            const struct sim_input *input = &session->inputs[session->checked];
            bool is_kept = (input->is_settled && input->is_applied) ||
                (may_be_forgotten && !input->is_settled && !input->is_applied);
            if (!is_kept && !input->is_rejected && !input->is_unsure) {
                sim_fail(sim, SIM_ACK_KEPT,
                    "input %" PRIu64 " of session %" PRIu64 " of epoch %" PRIu64
                    " was acknowledged and is %s",
                    session->checked + 1, session->id, session->epoch,
                    input->is_settled ? "not done" : "lost");
            }
        }
    }
}

void
sim_ledger_finish(struct sim *sim)
{
    for (int i = 0; i < sim->ledger.world_count; i++) {
        struct sim_world *world = &sim->ledger.worlds[i];
        if (world->shadow != NULL) {
            sv_world_destroy(world->shadow);
            sv_worker_finish(&world->worker);
        }
    }
    sim->ledger.world_count = 0;
    free(sim->ledger.samples);
    sim->ledger.samples = NULL;
}
