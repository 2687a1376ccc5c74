/*
 * fuzz_portable.c: no portable state, however it was made, hangs or crashes a world.
 *
 * The input takes the portable form of a moving world, in which bodies and joints were made and
 * removed.  It changes places of it by bytes, by small integers or by problematic numbers, or cuts
 * it.  A refused form has changed nothing.  An accepted form is a state: it is written and read
 * again to the same bytes, and the world steps from it.
 */
#include "engine/base/assert.h"
#include "engine/model/model.h"
#include "engine/state/image.h"
#include "engine/state/portable.h"
#include "tests/support/world/blocks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_PER_CHANGE 5
#define STEPS 6
#define WORK_PER_STEP 200000
#define WORLDS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double troubles[] = {0.0, -0.0, -1.0, 1e-300, 1e12, -1e12, 1e155, -1e300, 0.5, 1e-9,
    HUGE_VAL, -HUGE_VAL, (double)NAN, 1e3, 7.0, -1e-3};

static struct blocks blocks;
static unsigned char *form[WORLDS];
static size_t form_size[WORLDS];

/* The second is of the production solver. */
static struct cn_world *
make(int which)
{
    struct cn_world *world;
    blocks_init(&blocks, 3, 0.5);
    if (which == 1) {
        memcpy(blocks.def.settings.stepper, "time", 5);
        memcpy(blocks.def.settings.solver, "impulse", 8);
    }
    CN_ASSERT(cn_world_create(&blocks.def, NULL, &world) == CN_OK);
    return world;
}

static unsigned char *
portable_of(const struct cn_world *world, size_t *size)
{
    *size = cn_world_portable_size(world);
    unsigned char *made = malloc(*size);
    CN_ASSERT(made != NULL && cn_world_portable_write(world, made, *size) == *size);
    return made;
}

static void
live(struct cn_world *world)
{
    static const cn_vec3 corner[3] = {{-0.4, -0.4, 0.0}, {0.4, -0.4, 0.0}, {0.0, 0.5, 0.0}};
    struct cn_shape_def shape[2] = {{.kind = CN_SHAPE_BOX, .density = 1.0},
        {.kind = CN_SHAPE_POLYGON, .density = 1.0}};
    struct cn_body_def def;
    struct cn_joint_def joint;
    shape[0].box.size = (cn_vec3){0.5, 0.5, 0.5};
    shape[1].polygon.vertices = corner;
    shape[1].polygon.vertex_count = 3;
    cn_body_def_init(&def);
    def.shapes = shape;
    def.shape_count = 2;
    int slot[3];
    for (int i = 0; i < 3; i++) {
        def.position = (cn_vec3){6.0 + 2.0 * i, 3.0, 0.0};
        CN_ASSERT(cn_world_make_body(world, &def, NULL, &slot[i]) == CN_OK);
    }
    cn_joint_def_init(&joint, CN_JOINT_HINGE);
    joint.body_a = slot[1];
    joint.body_b = slot[2];
    joint.anchor_b = (cn_vec3){9.0, 3.0, 0.0};
    CN_ASSERT(cn_world_make_joint(world, &joint, NULL, NULL) == CN_OK);
    CN_ASSERT(cn_world_remove_body(world, slot[0], NULL) == CN_OK);
    struct cn_command drag = {.kind = CN_COMMAND_HOLD_DRAG};
    drag.hold_drag = (struct cn_hold_drag){
        .holder = {.source = 7}, .body = 3, .target = {1.0, 2.0, 0.0}, .stiffness = 60.0};
    CN_ASSERT(cn_world_command_apply(world, &drag, NULL) == CN_OK);
    for (int i = 0; i < 60; i++) {
        while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
        }
    }
}

/* One change: how[0] and how[1] choose the place, how[2] the kind, how[3] and how[4] the value. */
static void
change(unsigned char *bytes, size_t size, const uint8_t *how)
{
    size_t at = (size_t)(how[0] << 8 | how[1]) % size;
    if (how[2] % 3 == 0 && at + 8 <= size) {
        double trouble = troubles[how[3] % (sizeof(troubles) / sizeof(troubles[0]))];
        memcpy(bytes + at, &trouble, sizeof(trouble));
    } else if (how[2] % 3 == 1 && at + 4 <= size) {
        int32_t small = (int32_t)how[3] - 3;
        memcpy(bytes + at, &small, sizeof(small));
    } else {
        bytes[at] = (unsigned char)(bytes[at] ^ how[4]);
    }
}

static void
go_on(struct cn_world *world)
{
    for (int step = 0; step < STEPS; step++) {
        cn_world_step(world, WORK_PER_STEP);
        for (int i = 0; i < cn_world_body_count(world); i++) {
            struct cn_body_view view;
            cn_world_body_view(world, i, &view);
            CN_ASSERT(cn_vec3_is_finite(view.position) && cn_vec3_is_finite(view.velocity));
        }
    }
}

/* A second world that reads the world's bytes and writes them again gives the same bytes. */
static void
come_again(int which, const struct cn_world *world)
{
    size_t size, again_size;
    unsigned char *bytes = portable_of(world, &size);
    struct cn_world *other = make(which);
    CN_ASSERT(cn_world_portable_read(other, bytes, size, NULL) == CN_OK);
    unsigned char *again = portable_of(other, &again_size);
    CN_ASSERT(again_size == size && memcmp(again, bytes, size) == 0);
    free(again);
    free(bytes);
    cn_world_destroy(other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int i = 0; i < WORLDS && form[i] == NULL; i++) {
        struct cn_world *world = make(i);
        live(world);
        form[i] = portable_of(world, &form_size[i]);
        cn_world_destroy(world);
    }
    if (size < 1 + BYTES_PER_CHANGE) {
        return -1;
    }
    int which = data[0] % WORLDS;
    size_t cut = data[0] >= 254 ? form_size[which] - 12 : form_size[which];
    unsigned char *changed = malloc(cut);
    CN_ASSERT(changed != NULL);
    memcpy(changed, form[which], cut);
    for (size_t at = 1; at + BYTES_PER_CHANGE <= size; at += BYTES_PER_CHANGE) {
        change(changed, cut, data + at);
    }
    struct cn_world *world = make(which);
    uint64_t before = cn_world_hash(world);
    if (cn_world_portable_read(world, changed, cut, NULL) == CN_OK) {
        come_again(which, world);
        go_on(world);
    } else {
        CN_ASSERT(cn_world_hash(world) == before);
    }
    free(changed);
    cn_world_destroy(world);
    return 0;
}
