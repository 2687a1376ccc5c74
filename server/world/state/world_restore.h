/*
 * world_restore.h: puts a world to the state of a checkpoint.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_RESTORE_H
#define SERVER_WORLD_STATE_WORLD_RESTORE_H

#include "server/store/format/checkpoint.h"
#include "server/world/data/world.h"

/*
 * Restores the checkpoint's state in a world of the checkpoint's scene.  False with its failure
 * filled.
 */
bool sv_world_restore(struct sv_world *world, const struct sv_checkpoint *checkpoint);

/*
 * The content hash of the scene that the checkpoint's world was made of.  False: another version.
 */
bool sv_host_part_content(
    const struct sv_checkpoint *checkpoint, unsigned char content[SV_CONTENT_SIZE]);

/* Writes "DIVERGED: tick N: ..." into world->failure; returns false. */
__attribute__((format(printf, 2, 3))) bool sv_world_diverged(
    struct sv_world *world, const char *format, ...);

#endif
