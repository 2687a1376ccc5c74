/*
 * fuzz_propagation.c: worlds of the stepper `propagation`, valid by construction.
 *
 * Bytes choose settings, bodies, shapes, joints and velocities.  No body may be lost or become
 * non-finite.  Reading forces changes nothing, and a restored world has the same bits.
 */
#include "engine/state/image.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 12
#define TICKS 20

static struct scene scene;

struct bytes {
    const uint8_t *data;
    size_t size;
};

static int
next(struct bytes *bytes, int count)
{
    if (bytes->size == 0) {
        return 0;
    }
    bytes->size--;
    return *bytes->data++ % count;
}

/* From low to high in 255 steps. */
static double
number(struct bytes *bytes, double low, double high)
{
    return low + (high - low) * next(bytes, 256) / 255.0;
}

static void
add_body(struct bytes *bytes, bool space)
{
    int kind = next(bytes, space ? 3 : 2);
    double x = number(bytes, -2.0, 2.0), y = number(bytes, 0.3, 4.0);
    double width = number(bytes, 0.2, 1.0), height = number(bytes, 0.2, 1.0);
    int body = kind == 0 ? scene_box(&scene, x, y, width, height)
                         : scene_circle(&scene, x, y, 0.5 * width);
    if (space) {
        scene.shape[body].box.size.z = kind == 0 ? height : scene.shape[body].box.size.z;
        scene.shape[body].kind = kind == 0 ? CN_SHAPE_BOX : CN_SHAPE_SPHERE;
        scene.body[body].position.z = number(bytes, -1.0, 1.0);
        scene.body[body].velocity.z = number(bytes, -5.0, 5.0);
        if (kind == 2) {
            scene.shape[body].kind = CN_SHAPE_CAPSULE;
            scene.shape[body].capsule.radius = 0.5 * width;
            scene.shape[body].capsule.length = height;
        }
    }
    scene.body[body].mass = number(bytes, 0.1, 20.0);
    scene.body[body].velocity.x = number(bytes, -20.0, 20.0);
    scene.body[body].velocity.y = number(bytes, -20.0, 20.0);
    scene.body[body].angular_velocity.z = number(bytes, -10.0, 10.0);
    if (next(bytes, 4) == 0) {
        int other = next(bytes, body + 1) - 1;
        enum cn_joint_kind joint =
            next(bytes, 2) == 0 ? CN_JOINT_HINGE : CN_JOINT_BALL;
        if (other != body) {
            (void)scene_joint(&scene, joint, other, body, scene.body[body].position);
        }
    }
}

static struct cn_world *
make(struct bytes bytes)
{
    bool space = next(&bytes, 2) == 1;
    if (space) {
        scene_init_space(&scene, 9.81);
    } else {
        scene_init(&scene, 9.81);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
    struct cn_propagation_settings *settings = &scene.def.settings.propagation;
    settings->collision_iterations = next(&bytes, 7);
    settings->contact_iterations = next(&bytes, 12);
    settings->contact_sweeps = 1 + next(&bytes, 4);
    settings->shock_passes = next(&bytes, 3);
    settings->literal = next(&bytes, 4) == 0;
    scene.material[0].restitution = number(&bytes, 0.0, 1.0);
    scene_friction(&scene, 0, number(&bytes, 0.0, 2.0));
    scene.material[0].rolling_friction = next(&bytes, 2) * 0.01;
    scene_floor(&scene);
    int count = 1 + next(&bytes, BODIES);
    for (int i = 0; i < count; i++) {
        add_body(&bytes, space);
    }
    return scene_create(&scene);
}

static void
require(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct cn_world *world = make(bytes), *restored = make(bytes);
    for (int t = 0; t < TICKS; t++) {
        scene_tick(world);
        if (t == TICKS / 2) {
            size_t image_size = cn_world_image_size(world);
            void *image = malloc(image_size);
            require(image != NULL);
            require(cn_world_image_write(world, image, image_size) == image_size);
            require(cn_world_image_read(restored, image, image_size, NULL) == CN_OK);
            free(image);
        } else if (t > TICKS / 2) {
            const struct cn_contact_view *contacts;
            scene_tick(restored);
            int count = cn_world_contacts(restored, &contacts);
            for (int i = 0; i < count; i++) {
                require(isfinite(contacts[i].force) && contacts[i].force >= 0.0);
            }
            require(cn_world_hash(restored) == cn_world_hash(world));
        }
    }
    for (int i = 0; i < cn_world_body_count(world); i++) {
        require(cn_vec3_is_finite(scene_view(world, i).position));
    }
    cn_world_destroy(world);
    cn_world_destroy(restored);
    return 0;
}
