/*
 * cairn.h: the engine's public interface.
 *
 * A world is made from a definition, changed by commands and stepped tick by tick.  Between calls
 * it can be read, hashed and written to an image.  It does no I/O, has no threads and no clock;
 * different worlds may be used from different threads at once, one world from one at a time.
 *
 *     struct cn_world_def def;
 *     cn_world_def_init(&def);                    ... fill in bodies ...
 *     struct cn_world *world;
 *     if (cn_world_create(&def, &defect, &world) != CN_OK) { ... defect says why ... }
 *     while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {}
 *     cn_world_destroy(world);
 *
 * Determinism: the same definition and commands give the same bits on every machine.  A tick for
 * which there is no memory waits for it (CN_STEP_MEMORY) and has the same bits then.
 * Ownership: views and arrays that functions return belong to the world and hold until the next
 * call that steps, commands, reads an image into, or destroys it.
 */
#ifndef ENGINE_CAIRN_H
#define ENGINE_CAIRN_H

#include "engine/state/image.h"
#include "engine/state/portable.h"
#include "engine/world/advice.h"
#include "engine/world/deep.h"
#include "engine/world/query.h"
#include "engine/world/world.h"

#endif
