/*
 * island.h: a wall of bricks that is one island with about a given number of contacts, and a ball
 * that flies through it; for tests and benchmarks of large islands.
 *
 * Bricks of 0.5 m x 0.25 m (x 0.25 m) and 20 kg lie in running bond on a floor.  There are about as
 * many rows as bricks in a row; every other row has a half brick at each end.  Neighbours in a row
 * are 1 mm apart.  In the plane two bricks share 2 contacts, in space 4.  The ball flies at half of
 * the wall's height: along the rows in the plane, across the wall in space.
 */
#ifndef TESTS_SUPPORT_WORLD_ISLAND_H
#define TESTS_SUPPORT_WORLD_ISLAND_H

#include "tests/support/world/scene.h"

#include <stdio.h>

#define ISLAND_BRICK_WIDTH 0.5
#define ISLAND_BRICK_HEIGHT 0.25
#define ISLAND_BRICK_MASS 20.0

struct island {
    int width, height; /* bricks of the lowest row, rows */
    int brick_count, contact_count;
    int first_brick; /* the bodies of the bricks follow each other */
    int ball;        /* -1: none */
};

/* Contacts of a wall, each pair of bricks that overlap sharing `per_pair`. */
static inline int
island_contacts(int width, int height, int per_pair)
{
    int pairs = width;
    for (int row = 1; row < height; row++) {
        pairs += 2 * width;
    }
    return pairs * per_pair;
}

/* A wall of at least `contact_count` contacts; the fewest rows and bricks that have them. */
static inline struct island
island_build(struct scene *scene, bool is_spatial, int contact_count, double friction)
{
    int per_pair = is_spatial ? 4 : 2;
    struct island island = {.width = 2, .height = 2, .ball = -1};
    while (island_contacts(island.width, island.height, per_pair) < contact_count) {
        island.width += island.width <= island.height;
        island.height += island.width > island.height;
    }
    (is_spatial ? scene_init_space : scene_init)(scene, 9.81);
    scene_friction(scene, 0, friction);
    scene_floor(scene);
    island.first_brick = scene->def.body_count;
    for (int row = 0; row < island.height; row++) {
        int halves = row % 2;
        for (int k = 0; k < island.width + halves; k++) {
            bool half = halves == 1 && (k == 0 || k == island.width);
            double inward = half ? 0.25 * (k == 0 ? 1.0 : -1.0) : 0.0;
            double size = half ? 0.5 * ISLAND_BRICK_WIDTH : ISLAND_BRICK_WIDTH;
            int body = scene_box(scene, ISLAND_BRICK_WIDTH * (k - 0.5 * halves + inward),
                (row + 0.5) * ISLAND_BRICK_HEIGHT, size - 0.001, ISLAND_BRICK_HEIGHT);
            scene->body[body].mass = half ? 0.5 * ISLAND_BRICK_MASS : ISLAND_BRICK_MASS;
            if (is_spatial) {
                scene->shape[body].box.size.z = ISLAND_BRICK_HEIGHT;
            }
        }
    }
    island.brick_count = scene->def.body_count - island.first_brick;
    island.contact_count = island_contacts(island.width, island.height, per_pair);
    return island;
}

/* A ball of 100 kg that meets the wall after a tenth of a second. */
static inline void
island_shoot(struct scene *scene, struct island *island, double speed)
{
    bool is_spatial = scene->def.settings.dimension == CN_SPATIAL;
    double radius = 0.3, y = 0.5 * island->height * ISLAND_BRICK_HEIGHT;
    double way = 0.1 * speed + radius, middle = 0.5 * ISLAND_BRICK_WIDTH * (island->width - 1);
    y = y < radius + 0.05 ? radius + 0.05 : y;
    double x = is_spatial ? middle : -0.5 * ISLAND_BRICK_WIDTH - way;
    int ball = scene_circle(scene, x, y, radius);
    scene->body[ball].mass = 100.0;
    if (is_spatial) {
        scene->shape[ball].kind = CN_SHAPE_SPHERE;
        scene->body[ball].position.z = -0.5 * ISLAND_BRICK_HEIGHT - way;
        scene->body[ball].velocity.z = speed;
    } else {
        scene->body[ball].velocity.x = speed;
    }
    island->ball = ball;
}

#endif
