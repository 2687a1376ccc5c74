/*
 * world_entries.h: log entries make every change of a world except time.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_ENTRIES_H
#define SERVER_WORLD_ACT_WORLD_ENTRIES_H

#include "server/world/data/world.h"

/* The decoded parts of an entry. */
struct sv_matter {
    struct sv_scene *scene;     /* LOAD; NULL once it has been taken */
    struct wire_change *change; /* CHANGE and CHANGE_OF */
    struct sv_checkpoint *seed; /* SEED */
    bool is_touched;            /* the change was refused, but has left traces */
};

/* Ends one held input. */
void sv_world_let_go(struct sv_world *world, const struct cn_holder *holder);

/*
 * The only way to change a world between two ticks, live and in a recovery.  `do` also writes the
 * entry to the log.  False with *error filled; then nothing has changed, except where is_touched.
 * `matter` may be NULL for entries without such parts.
 */
bool sv_world_apply(struct sv_world *world, const struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error);
bool sv_world_do(struct sv_world *world, struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error);

/* Between two ticks: resets the world if its rules have ended the round and ask for it. */
void sv_world_end_round(struct sv_world *world);

#endif
