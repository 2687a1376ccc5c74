/*
 * durable_client.h: a client of the daemon in memory, and its inputs in the store.
 */
#ifndef TESTS_SUPPORT_SERVER_DURABLE_CLIENT_H
#define TESTS_SUPPORT_SERVER_DURABLE_CLIENT_H

#include "engine/base/little_endian.h"
#include "tests/support/server/durable_sim.h"

struct client {
    uint64_t applied_seq, durable_seq, seq, tick, session;
    int done_count, rejected_count, joined_count, tick_count;
    uint32_t generation; /* of the scene that it knows */
};

static inline void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        client->session = message->welcome->session;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        client->joined_count++;
        client->tick = 0; /* the new generation counts its ticks from 0 */
        client->generation = message->joined->generation;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CHANGED:
        client->generation = message->changed->generation;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        client->tick = message->tick->tick;
        client->tick_count++;
        client->applied_seq = message->tick->applied_seq;
        client->durable_seq = message->tick->durable_seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        client->done_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        client->rejected_count++;
        break;
    default:
        break;
    }
}

/* The last input of the session that is in a checkpoint or a record; entries are read here alone.
 */
static inline uint64_t
stored_seq(struct durable_sim *sim, uint64_t session)
{
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    struct sv_record record;
    uint64_t seq = 0;
    durable_sim_open(sim);
    if (sv_store_world_count(sim->store) > 0) {
        struct sv_recovery *recovery = sv_recovery_begin(
            sim->store, sv_store_world(sim->store, 0).world, &checkpoint, &fault);
        assert_non_null(recovery);
        size_t size = 0;
        const unsigned char *host =
            checkpoint != NULL ? sv_checkpoint_find(checkpoint, 2, &size) : NULL;
        if (host != NULL && cn_get_u64(host + size - 16) == session) {
            seq = cn_get_u64(host + size - 8);
        }
        while (sv_recovery_next(recovery, &record, &fault) == SV_RECOVERY_RECORD) {
            struct dd_entry entry;
            size_t at = 0;
            while (at < record.entries_size) {
                assert_true(dd_entry_read(record.entries, record.entries_size, &at, &entry));
                if (entry.kind == DD_ENTRY_SETTLED && entry.settled.session == session) {
                    assert_true(entry.settled.seq > seq);
                    seq = entry.settled.seq;
                }
            }
        }
        sv_recovery_end(recovery);
    }
    sv_store_abandon(sim->store);
    sim->disk.is_locked = false;
    return seq;
}

#endif
