/*
 * world_persistence.h: worlds in the store: charters, seeds and checkpoints.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_PERSISTENCE_H
#define SERVER_WORLD_ACT_WORLD_PERSISTENCE_H

#include "server/store/store.h"
#include "server/world/data/world.h"

/* The contents of a charter.  False: it is not a charter of ours. */
struct sv_charter {
    char id[WIRE_NAME_SIZE];
    enum wire_durability durability;
    unsigned char content[SV_CONTENT_SIZE];
};
bool sv_charter_read(const unsigned char *bytes, size_t size, struct sv_charter *charter);

/*
 * Stores a new world from now on under its mailbox's number: its scene and charter are appended.
 * Without a store, or with durability NONE, nothing is stored.  False with *error filled.
 */
bool sv_world_persist(struct sv_world *world, struct wire_error *error);

/* A checkpoint of the world, between two ticks; NULL without memory. */
struct sv_checkpoint *sv_world_take(const struct sv_world *world);

/*
 * The same as a seed for other worlds.  `origin`, unless NULL, is the id that they name as their
 * origin, at this tick.  NULL with *error filled.
 */
struct sv_seed *
sv_world_seed(struct sv_world *world, const char *origin, struct wire_error *error);

/*
 * Starts a new world at the seed's state, without the members of that time.  False with *error
 * filled; then the world is of no use.
 */
bool sv_world_sow(struct sv_world *world, const struct sv_seed *seed, bool is_paused,
    struct wire_error *error);

/* Takes a checkpoint when one is due, or now. */
void sv_world_checkpoint(struct sv_world *world, uint64_t now_ns, bool is_now);
/* When the next one is due. */
uint64_t sv_world_checkpoint_ns(const struct sv_world *world, uint64_t now_ns);

/* The charter of a stored world, from any thread. */
bool sv_charter_of(struct sv_store *store, uint64_t number, struct sv_charter *charter);

/* From now on the world is stored in the lane of its worker. */
void sv_world_store_by(struct sv_world *world, enum wire_durability durability);

#endif
