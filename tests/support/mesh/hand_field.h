/*
 * hand_field.h: distance fields from a formula, node by node: 16 cells along each axis of the box
 * from -2 to 2.
 *
 * There is one uniform and one sparse field at a time; a new one overwrites the nodes.
 */
#ifndef TESTS_SUPPORT_MESH_HAND_FIELD_H
#define TESTS_SUPPORT_MESH_HAND_FIELD_H

#include "engine/mesh/field.h"

#define NODES 17 /* along each axis, one quarter apart, from -2 to 2 */
#define SPACING 0.25
#define BRICK_NODES ((CN_FIELD_BRICK + 1) * (CN_FIELD_BRICK + 1) * (CN_FIELD_BRICK + 1))

typedef double distance_of(cn_vec3 p);

static float value[NODES * NODES * NODES];
static uint8_t label[(NODES - 1) * (NODES - 1) * (NODES - 1)];
static float nodes[27 + 8 * BRICK_NODES]; /* coarse ones, and bricks behind them */
static int32_t brick_of[8];

static inline cn_vec3
node_at(int x, int y, int z)
{
    return cn_vec3_make(-2.0 + SPACING * x, -2.0 + SPACING * y, -2.0 + SPACING * z);
}

static inline int
index_of(int x, int y, int z, int count)
{
    return x + count * (y + count * z);
}

/* Outside, inside or neither, by the corners. */
static inline uint8_t
label_of(int x, int y, int z)
{
    int inside = 0;
    for (int i = 0; i < 8; i++) {
        inside += value[index_of(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2), NODES)] < 0.0f;
    }
    return inside == 8 ? CN_FIELD_INSIDE : inside == 0 ? CN_FIELD_OUTSIDE : CN_FIELD_BAND;
}

static inline struct cn_field
uniform(distance_of *distance)
{
    for (int z = 0; z < NODES; z++) {
        for (int y = 0; y < NODES; y++) {
            for (int x = 0; x < NODES; x++) {
                value[index_of(x, y, z, NODES)] = (float)distance(node_at(x, y, z));
            }
        }
    }
    for (int z = 0; z < NODES - 1; z++) {
        for (int y = 0; y < NODES - 1; y++) {
            for (int x = 0; x < NODES - 1; x++) {
                label[index_of(x, y, z, NODES - 1)] = label_of(x, y, z);
            }
        }
    }
    return (struct cn_field){.origin = node_at(0, 0, 0),
        .spacing = SPACING,
        .count = {NODES, NODES, NODES},
        .value = value,
        .label = label};
}

/* All bricks but those of a mask. */
static inline struct cn_field
sparse(distance_of *distance, int without)
{
    int count = 0;
    float *bricks = nodes + 27;
    for (int i = 0; i < 27; i++) {
        nodes[i] = (float)distance(node_at(8 * (i % 3), 8 * (i / 3 % 3), 8 * (i / 9)));
    }
    for (int i = 0; i < 8; i++) {
        int at[3] = {8 * (i & 1), 8 * (i >> 1 & 1), 8 * (i >> 2)};
        brick_of[i] = without >> i & 1 ? -1 : count++;
        for (int k = 0; brick_of[i] >= 0 && k < BRICK_NODES; k++) {
            bricks[brick_of[i] * BRICK_NODES + k] = (float)distance(
                node_at(at[0] + k % 9, at[1] + k / 9 % 9, at[2] + k / 81));
        }
    }
    return (struct cn_field){.origin = node_at(0, 0, 0),
        .spacing = SPACING,
        .count = {NODES, NODES, NODES},
        .coarse_count = {3, 3, 3},
        .coarse = nodes,
        .brick_of = brick_of,
        .brick = bricks,
        .brick_count = count};
}

static inline double
random_between(uint32_t *state, double low, double high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*state >> 8) / 16777216.0;
}

#endif
