/*
 * test_fields.c: every number that the next tick depends on is in the hash and in images.
 *
 * One number of a world at a time is changed in its lowest bit.  Then the hash must change, and a
 * world that reads the image must have the changed number.  The members are listed here,
 * independent of engine/state/fields.h.
 */
#include "engine/world/world_inside.h"
#include "tests/support/world/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct member {
    const char *name;
    size_t offset, size;
};

#define MEMBER(of, member) {#member, offsetof(struct of, member), sizeof(((struct of *)0)->member)}
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct member clock_members[] = {
    MEMBER(cn_clock, tick),
    MEMBER(cn_clock, time),
    MEMBER(cn_clock, rate_tick),
    MEMBER(cn_clock, rate_time),
    MEMBER(cn_clock, elapsed),
    MEMBER(cn_clock, step_next),
    MEMBER(cn_clock, inelastic),
    MEMBER(cn_clock, unsearched),
    MEMBER(cn_clock, coarse),
    MEMBER(cn_clock, impacts),
    MEMBER(cn_clock, pieces),
    MEMBER(cn_clock, spent),
};

static const struct member members2[] = {
    MEMBER(cn_manifold2, rolling_impulse),
    MEMBER(cn_manifold2, hint),
    MEMBER(cn_manifold2, point[0].normal_impulse),
    MEMBER(cn_manifold2, point[0].tangent_impulse),
    MEMBER(cn_manifold2, point[0].feature),
};

static const struct member members3[] = {
    MEMBER(cn_manifold3, rolling_impulse[0]),
    MEMBER(cn_manifold3, rolling_impulse[1]),
    MEMBER(cn_manifold3, rolling_impulse[2]),
    MEMBER(cn_manifold3, tangent_impulse[0]),
    MEMBER(cn_manifold3, tangent_impulse[1]),
    MEMBER(cn_manifold3, twist_impulse),
    MEMBER(cn_manifold3, hint),
    MEMBER(cn_manifold3, point[0].normal_impulse),
    MEMBER(cn_manifold3, point[0].feature),
};

/* The bytes of a struct of the world's state; NULL if the world does not have that struct. */
typedef unsigned char *place_fn(struct cn_world *world);

static unsigned char *
clock_of(struct cn_world *world)
{
    return (unsigned char *)&world->model.clock;
}

/* The manifold of the first pair that has one. */
static unsigned char *
manifold_of(struct cn_world *world)
{
    struct cn_pipeline *p = &world->production->pipeline;
    for (int i = 0; i < p->pair_count; i++) {
        int at = p->pair[i].manifold;
        if (at >= 0) {
            void *all = p->manifold[p->front];
            return world->model.settings.dimension == CN_PLANAR
                       ? (unsigned char *)((struct cn_manifold2 *)all + at)
                       : (unsigned char *)((struct cn_manifold3 *)all + at);
        }
    }
    return NULL;
}

static void
copy(const struct cn_world *from, struct cn_world *to)
{
    size_t size = cn_world_image_size(from);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(from, image, size), size);
    struct cn_defect defect = {0};
    if (cn_world_image_read(to, image, size, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    free(image);
}

static void
assert_told(struct cn_world *world, struct cn_world *twin, place_fn *place_of,
    const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct member *member = &members[i];
        unsigned char *place = place_of(world);
        assert_non_null(place);
        uint64_t before = cn_world_hash(world);
        place[member->offset] ^= 1;
        if (cn_world_hash(world) == before) {
            fail_msg("%s is not in the hash", member->name);
        }
        copy(world, twin);
        if (memcmp(place_of(twin) + member->offset, place + member->offset, member->size) != 0) {
            fail_msg("%s is not in the image", member->name);
        }
        assert_int_equal(cn_world_hash(twin), cn_world_hash(world));
        place[member->offset] ^= 1;
        assert_int_equal(cn_world_hash(world), before);
    }
}

static struct cn_world *
make(const struct cn_world_def *def)
{
    struct cn_defect defect = {0};
    struct cn_world *world = NULL;
    if (cn_world_create(def, &defect, &world) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return world;
}

/* In the middle of a tick, when every member of the clock has a value. */
static void
test_clock(void **state)
{
    (void)state;
    static struct blocks blocks;
    blocks_init(&blocks, 6, 0.7);
    struct cn_world *world = make(&blocks.def), *twin = make(&blocks.def);
    for (int piece = 0; !cn_world_is_mid_tick(world) || cn_world_tick(world) < 30; piece++) {
        assert_true(piece < 100000);
        cn_world_step(world, 1);
    }
    assert_told(world, twin, clock_of, clock_members, COUNT_OF(clock_members));
    cn_world_destroy(world);
    cn_world_destroy(twin);
}

/* A box that rolls or slides on a floor, by the production solver. */
static void
contacts(enum cn_dimension dimension, const struct member *members, size_t count)
{
    static struct blocks blocks;
    blocks_init(&blocks, 3, 0.0);
    blocks.material.friction = blocks.material.static_friction = 0.5;
    blocks.material.rolling_friction = 0.1;
    blocks.def.settings.dimension = dimension;
    snprintf(blocks.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(blocks.def.settings.solver, CN_NAME_SIZE, "impulse");
    struct cn_world *world = make(&blocks.def), *twin = make(&blocks.def);
    for (int i = 0; i < 300 && manifold_of(world) == NULL; i++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
    assert_told(world, twin, manifold_of, members, count);
    cn_world_destroy(world);
    cn_world_destroy(twin);
}

static void
test_contacts_of_the_plane(void **state)
{
    (void)state;
    contacts(CN_PLANAR, members2, COUNT_OF(members2));
}

static void
test_contacts_in_space(void **state)
{
    (void)state;
    contacts(CN_SPATIAL, members3, COUNT_OF(members3));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_contacts_of_the_plane),
        cmocka_unit_test(test_contacts_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
