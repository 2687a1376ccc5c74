/*
 * bench_masonry.c: a house of cards, and an arch of blocks without mortar.
 *
 * Two cards of length L and thickness t lean against each other at an angle a to the vertical.
 * Each stands on its lowest corner and touches the other with its innermost one:
 *
 *     half of the width of such a tent     L sin a
 *     from its middle to a card's middle   (t cos a + L sin a) / 2
 *     its height                           L cos a + t sin a
 *
 * A card that lies between two tents carries the next one.
 */
#include "clients/bench/bench_scene.h"

#include "engine/math/trig.h"

#define PI 3.14159265358979323846

#define CARD_LENGTH 1.0
#define CARD_THICKNESS 0.04
#define CARD_ANGLE (20.0 * PI / 180.0)
#define CARD_TENTS 4 /* of the lowest of as many storeys */
#define CARD_SLIT 1e-3 /* m, between two cards that lie */

#define ARCH_BLOCKS 15
#define ARCH_INNER 4.0 /* m: radii */
#define ARCH_OUTER 5.0

/* A static body whose upper side is y = 0; depth 0: the plane. */
static void
add_ground(struct bench_build *build, double depth)
{
    bench_body(build, CN_STATIC, cn_vec3_make(0.0, 0.0, 0.0));
    bench_box(build, cn_vec3_make(200.0, 2.0, depth), cn_vec3_make(0.0, -1.0, 0.0));
}

static void
add_card(struct bench_build *build, double x, double y, double angle)
{
    int body = bench_body(build, CN_DYNAMIC, cn_vec3_make(x, y, 0.0));
    bench_body_def(build, body)->angle = angle;
    bench_box(build, cn_vec3_make(CARD_THICKNESS, CARD_LENGTH, 0.0), cn_vec3_make(0.0, 0.0, 0.0));
}

void
bench_planar_cards(struct bench_build *build)
{
    double s, c;
    cn_sin_cos(CARD_ANGLE, &s, &c);
    double height = CARD_LENGTH * c + CARD_THICKNESS * s;
    double apart = 0.5 * (CARD_THICKNESS * c + CARD_LENGTH * s);
    add_ground(build, 0.0);
    for (int storey = 0; storey < CARD_TENTS; storey++) {
        double y = storey * (height + CARD_THICKNESS);
        int count = CARD_TENTS - storey;
        for (int i = 0; i < count; i++) {
            double x = (i - 0.5 * (count - 1)) * CARD_LENGTH;
            add_card(build, x - apart, y + 0.5 * height, -CARD_ANGLE);
            add_card(build, x + apart, y + 0.5 * height, CARD_ANGLE);
        }
        for (int i = 0; i + 1 < count; i++) {
            bench_body(build, CN_DYNAMIC,
                cn_vec3_make((i + 1 - 0.5 * (count - 1)) * CARD_LENGTH - 0.5 * CARD_LENGTH,
                    y + height + 0.5 * CARD_THICKNESS, 0.0));
            bench_box(build, cn_vec3_make(CARD_LENGTH - CARD_SLIT, CARD_THICKNESS, 0.0),
                cn_vec3_make(0.0, 0.0, 0.0));
        }
    }
}

/* Corners of block i about its middle, counter-clockwise; returns the middle. */
static cn_vec3
arch_block(int i, cn_vec3 corner[4])
{
    const double radius[4] = {ARCH_INNER, ARCH_OUTER, ARCH_OUTER, ARCH_INNER};
    cn_vec3 middle = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        double s, c;
        cn_sin_cos(PI * (i + (k < 2 ? 0 : 1)) / ARCH_BLOCKS, &s, &c);
        corner[k] = cn_vec3_make(radius[k] * c, radius[k] * s, 0.0);
        middle = cn_vec3_add(middle, cn_vec3_scale(corner[k], 0.25));
    }
    for (int k = 0; k < 4; k++) {
        corner[k] = cn_vec3_sub(corner[k], middle);
    }
    return middle;
}

void
bench_planar_arch(struct bench_build *build)
{
    add_ground(build, 0.0);
    for (int i = 0; i < ARCH_BLOCKS; i++) {
        cn_vec3 corner[4];
        bench_body(build, CN_DYNAMIC, arch_block(i, corner));
        bench_convex(build, bench_points(build, corner, 4), 4);
    }
}

void
bench_spatial_arch(struct bench_build *build)
{
    add_ground(build, 200.0);
    build->density = 1000.0;
    for (int i = 0; i < ARCH_BLOCKS; i++) {
        cn_vec3 flat[4], corner[8];
        bench_body(build, CN_DYNAMIC, arch_block(i, flat));
        for (int k = 0; k < 8; k++) {
            corner[k] = cn_vec3_make(flat[k % 4].x, flat[k % 4].y, k < 4 ? -0.5 : 0.5);
        }
        bench_convex(build, bench_points(build, corner, 8), 8);
    }
}
