/*
 * fuzz_image.c: no image makes a world hang or crash, or is read only partly.
 *
 * The input changes an image of a moving world at some places, by bytes or by problematic numbers.
 * The checksum is corrected, so that the later checks are reached.  A refused image has changed
 * nothing.  An accepted image is a state: writing it again gives the same bytes, the world steps
 * from it within its limits, and the first image can still be read.
 */
#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "engine/model/model.h"
#include "tests/support/world/blocks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 24
#define BYTES_PER_CHANGE 5
#define STEPS 6
#define WORK_PER_STEP 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double troubles[] = {0.0, -0.0, -1.0, 1e-300, 1e12, -1e12, 1e155, -1e300, 0.5, 1e-9,
    HUGE_VAL, -HUGE_VAL, (double)NAN, 1e3, 7.0, -1e-3};

static struct blocks blocks;
static struct cn_world *world;
static unsigned char *image[2]; /* between ticks, and within one */
static size_t image_size[2];

static unsigned char *
image_of(size_t *size)
{
    *size = cn_world_image_size(world);
    unsigned char *made = malloc(*size);
    CN_ASSERT(made != NULL && cn_world_image_write(world, made, *size) == *size);
    return made;
}

static void
make_images(void)
{
    blocks_init(&blocks, 3, 0.5);
    CN_ASSERT(cn_world_create(&blocks.def, NULL, &world) == CN_OK);
    struct cn_command drag = {.kind = CN_COMMAND_HOLD_DRAG};
    drag.hold_drag = (struct cn_hold_drag){
        .holder = {.source = 7}, .body = 4, .target = {1.0, 2.0, 0.0}, .stiffness = 60.0};
    CN_ASSERT(cn_world_command_apply(world, &drag, NULL) == CN_OK);
    struct cn_command level = {.kind = CN_COMMAND_HOLD_ACTUATOR};
    level.hold_actuator = (struct cn_hold_actuator){.holder = {.source = 8}, .level = 1.0};
    CN_ASSERT(cn_world_command_apply(world, &level, NULL) == CN_OK);
    while (cn_world_tick(world) < 60) {
        cn_world_step(world, CN_WORK_UNLIMITED);
    }
    image[0] = image_of(&image_size[0]);
    while (cn_world_step(world, 1) == CN_STEP_DONE) {
        CN_ASSERT(cn_world_tick(world) < 600);
    }
    image[1] = image_of(&image_size[1]);
}

/* One change: 2 bytes say where, 1 how, 2 with what. */
static void
change(unsigned char *bytes, size_t size, const uint8_t *how)
{
    size_t at = HEADER_SIZE + (size_t)(how[0] << 8 | how[1]) % (size - HEADER_SIZE);
    if (how[2] % 2 == 0 && at + 8 <= size) {
        double trouble = troubles[how[3] % (sizeof(troubles) / sizeof(troubles[0]))];
        memcpy(bytes + at, &trouble, sizeof(trouble));
    } else {
        bytes[at] = how[2] % 4 == 1 ? how[3] : (unsigned char)(bytes[at] ^ how[4]);
    }
}

static void
mend_checksum(unsigned char *bytes, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, bytes + HEADER_SIZE, size - HEADER_SIZE);
    uint64_t body_size = size - HEADER_SIZE;
    memcpy(bytes + 8, &body_size, 8);
    memcpy(bytes + 16, &hash.state, 8);
}

static void
go_on(void)
{
    for (int step = 0; step < STEPS; step++) {
        cn_world_step(world, WORK_PER_STEP);
        const struct cn_contact_view *contact;
        for (int i = cn_world_contacts(world, &contact) - 1; i >= 0; i--) {
            CN_ASSERT(isfinite(contact[i].force) && contact[i].force >= 0.0);
        }
        for (int i = 0; i < cn_world_body_count(world); i++) {
            struct cn_body_view view;
            cn_world_body_view(world, i, &view);
            CN_ASSERT(cn_vec3_is_finite(view.position) && cn_vec3_is_finite(view.velocity));
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (world == NULL) {
        make_images();
    }
    if (size < 1 + BYTES_PER_CHANGE) {
        return -1;
    }
    int which = data[0] % 2;
    size_t image_cut = data[0] == 254 ? image_size[which] - 12 : image_size[which];
    unsigned char *changed = malloc(image_cut);
    CN_ASSERT(changed != NULL);
    memcpy(changed, image[which], image_cut);
    for (size_t at = 1; at + BYTES_PER_CHANGE <= size; at += BYTES_PER_CHANGE) {
        change(changed, image_cut, data + at);
    }
    mend_checksum(changed, image_cut);

    uint64_t before = cn_world_hash(world);
    if (cn_world_image_read(world, changed, image_cut, NULL) == CN_OK) {
        size_t again_size;
        unsigned char *again = image_of(&again_size);
        CN_ASSERT(again_size == image_cut);
        free(again);
        go_on();
    } else {
        CN_ASSERT(cn_world_hash(world) == before);
    }
    free(changed);
    CN_ASSERT(cn_world_image_read(world, image[which], image_size[which], NULL) == CN_OK);
    return 0;
}
