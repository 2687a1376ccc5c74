/*
 * blocks.h: a room with blocks, for tests that need a world in motion.
 *
 * A floor and two walls 8 m apart, and up to six boxes of different sizes that fall, turning.
 */
#ifndef TESTS_SUPPORT_WORLD_BLOCKS_H
#define TESTS_SUPPORT_WORLD_BLOCKS_H

#include "engine/cairn.h"

#define BLOCKS_MAX 6

struct blocks {
    struct cn_world_def def;
    struct cn_body_def body[3 + BLOCKS_MAX];
    struct cn_shape_def shape[3 + BLOCKS_MAX];
    struct cn_material_def material;
    struct cn_thruster_def thruster;
};

static inline void
blocks_wall(struct blocks *blocks, int i, double x, double y, double width, double height)
{
    cn_body_def_init(&blocks->body[i]);
    blocks->shape[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
    blocks->shape[i].box.size = cn_vec3_make(width, height, 1.0);
    blocks->body[i].type = CN_STATIC;
    blocks->body[i].position = cn_vec3_make(x, y, 0.0);
    blocks->body[i].shapes = &blocks->shape[i];
    blocks->body[i].shape_count = 1;
}

/* The definition points into *blocks, which must outlive it. */
static inline void
blocks_init(struct blocks *blocks, int count, double restitution)
{
    static const double sizes[BLOCKS_MAX][2] = {
        {1.0, 1.0}, {0.6, 1.4}, {1.2, 0.5}, {0.8, 0.8}, {0.4, 1.0}, {1.5, 0.4}};
    cn_world_def_init(&blocks->def);
    cn_material_def_init(&blocks->material);
    blocks->material.restitution = restitution;
    blocks_wall(blocks, 0, 0.0, -0.5, 12.0, 1.0);
    blocks_wall(blocks, 1, -4.5, 4.0, 1.0, 10.0);
    blocks_wall(blocks, 2, 4.5, 4.0, 1.0, 10.0);
    for (int k = 0; k < count; k++) {
        struct cn_body_def *body = &blocks->body[3 + k];
        cn_body_def_init(body);
        blocks->shape[3 + k] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
        blocks->shape[3 + k].box.size = cn_vec3_make(sizes[k][0], sizes[k][1], 1.0);
        int column = k % 3, layer = k / 3;
        body->position = cn_vec3_make(
            -2.2 + 1.7 * column + 0.3 * layer, 1.3 + 2.0 * layer, 0.0);
        body->angle = 0.3 * k - 0.5;
        body->mass = 1.0 + 0.5 * k;
        body->velocity = cn_vec3_make(0.4 - 0.2 * k, 0.0, 0.0);
        body->shapes = &blocks->shape[3 + k];
        body->shape_count = 1;
    }
    blocks->thruster = (struct cn_thruster_def){.body = 3, .force = {0.0, 30.0, 0.0}};
    blocks->thruster.at = cn_vec3_make(0.2, 0.0, 0.0);
    blocks->def.materials = &blocks->material;
    blocks->def.material_count = 1;
    blocks->def.bodies = blocks->body;
    blocks->def.body_count = 3 + count;
    blocks->def.thrusters = &blocks->thruster;
    blocks->def.thruster_count = 1;
}

#endif
