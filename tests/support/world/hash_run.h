/*
 * hash_run.h: computes the hashes of a scene's ticks with a given instruction set and number of
 * workers.
 */
#ifndef TESTS_SUPPORT_WORLD_HASH_RUN_H
#define TESTS_SUPPORT_WORLD_HASH_RUN_H

#include "crew/crew.h"
#include "tests/support/world/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Runs a new world of the scene and writes the state's hash after each of its `ticks` ticks. */
static inline void
hash_run(struct scene *scene, const char *simd, int workers, int ticks, uint64_t *hash)
{
    struct cn_world *world = scene_create(scene);
    struct cn_crew *crew = crew_create(workers);
    struct cn_world_tools tools = {.simd = simd, .crew = crew};
    struct cn_defect defect;
    assert_int_equal(cn_world_use(world, &tools, &defect), CN_OK);
    for (int tick = 0; tick < ticks; tick++) {
        scene_tick(world);
        hash[tick] = cn_world_hash(world);
    }
    cn_world_destroy(world);
    crew_destroy(crew);
}

#endif
