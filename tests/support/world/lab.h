/*
 * lab.h: the contact lab: up to six blocks in a closed box, for scenarios and benchmarks.
 *
 * The box is 8 m wide and 7 m high.  Its sides are four half planes, so nothing leaves it.  Bodies
 * 0 to 3 are the sides; the blocks begin at LAB_BLOCK_FIRST.
 */
#ifndef TESTS_SUPPORT_WORLD_LAB_H
#define TESTS_SUPPORT_WORLD_LAB_H

#include "tests/support/world/scene.h"

#define LAB_BLOCK_FIRST 4
#define LAB_BLOCKS_MAX 6

static inline void
lab_init(struct scene *scene, int block_count, double gravity, double restitution)
{
    static const struct {
        double width, height, x, y, angle, vx, vy, spin;
    } block[LAB_BLOCKS_MAX] = {
        {1.3, 1.5, -3.0, 1.2, 0.0, 0.386, -0.361, -0.396},
        {1.0, 3.0, -1.5, 2.5, 0.0, 0.270, -0.017, -0.306},
        {1.4, 1.4, 2.2, 2.0, 0.0, -0.294, -0.112, -0.235},
        {1.0, 2.8, 2.0, 5.0, -0.785, -0.455, -0.377, 0.365},
        {1.0, 2.6, -1.9, 5.8, 1.671, 0.0, 0.0, 0.0},
        {1.5, 1.2, 0.2, 1.0, 0.1, 0.0, 0.0, 0.0},
    };
    scene_init(scene, gravity);
    scene->material[0].restitution = restitution;
    scene_floor(scene);
    scene_plane(scene, 1.0, 0.0, -4.0);
    scene_plane(scene, -1.0, 0.0, -4.0);
    scene_plane(scene, 0.0, -1.0, -7.0);
    for (int i = 0; i < block_count; i++) {
        int body = scene_box(scene, block[i].x, block[i].y, block[i].width, block[i].height);
        scene->body[body].angle = block[i].angle;
        scene->body[body].velocity = cn_vec3_make(block[i].vx, block[i].vy, 0.0);
        scene->body[body].angular_velocity.z = block[i].spin;
    }
}

#endif
