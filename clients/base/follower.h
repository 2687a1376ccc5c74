/*
 * follower.h: an engine in the client that follows a world in mode DEEDS (proto/WIRE.md, "Deeds").
 *
 *     Joined with an image --> Deeds, Deeds, ... --> the same bits as the daemon's
 *
 * The follower steps its engine up to the tick of each Deeds and applies what the message has.  It
 * compares its state hash with each that the daemon sends.
 *
 * Ownership: all zero is a follower without a world; finish.
 * Threads: one.
 */
#ifndef CLIENTS_BASE_FOLLOWER_H
#define CLIENTS_BASE_FOLLOWER_H

#include "clients/base/shown.h"
#include "deed/rules/follow.h"
#include "proto/peer.h"

struct cli_follower {
    struct dd_follower followed; /* without an engine: it waits for an image */
    struct dd_rules rules;
    uint64_t shown_tick; /* the last one that was recorded; 0: none */
    uint64_t image_count, tick_count, deed_bytes;
    uint64_t equal_count, differ_count; /* hashes that were compared */
    struct wire_error error;            /* the last failure */
};

enum cli_follow {
    CLI_FOLLOW_GOOD,
    CLI_FOLLOW_DIFFERS, /* the hashes differ: say Desync */
    CLI_FOLLOW_FAILED,  /* an image or deeds cannot be used; `error` has the reason */
};

void cli_follower_finish(struct cli_follower *follower);

/* A Joined; one without an image changes nothing. */
enum cli_follow cli_follower_join(
    struct cli_follower *follower, const struct wire_heard_joined *joined);

/*
 * Steps to the tick of the deeds, records in `stay` what a client is shown there, and applies them.
 * On DIFFERS *hash is the follower's own at the tick, and it waits for the next image.
 */
enum cli_follow cli_follower_deeds(struct cli_follower *follower,
    const struct wire_heard_deeds *deeds, struct cli_shown_stay *stay, uint64_t *hash);

#endif
