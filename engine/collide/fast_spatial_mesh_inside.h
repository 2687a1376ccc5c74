/*
 * fast_spatial_mesh_inside.h: what the files of the meshes' narrowphase share.
 *
 * Places are in world axes with the origin at A's centre of mass, or in a mesh's frame.
 */
#ifndef ENGINE_COLLIDE_FAST_SPATIAL_MESH_INSIDE_H
#define ENGINE_COLLIDE_FAST_SPATIAL_MESH_INSIDE_H

#include "engine/collide/fast_spatial_hull.h"
#include "engine/collide/fast_spatial_mesh.h"
#include "engine/mesh/mesh_low.h"

#define CN_MESH_LANES_MAX 16
#define CN_MESH_BATCH 256      /* points that are looked up at once */
#define CN_MESH_CANDIDATES 256 /* points that may become contacts; the most urgent */

/* A turn and a way: x becomes origin + x axis[0] + y axis[1] + z axis[2]. */
struct cn_mesh_turn {
    float axis[3][3];
    float origin[3];
};

/* What is known of points, in the order in which they were asked for. */
struct cn_mesh_looks {
    _Alignas(64) float phi[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    _Alignas(64) float slope[3][CN_MESH_BATCH + CN_MESH_LANES_MAX]; /* in the field's frame */
};

/*
 * Of count <= CN_MESH_BATCH records, at offset[] bytes behind base, whose first three floats are a
 * point, turned into the field's frame: phi and its slope.  offset[] has CN_MESH_LANES_MAX more
 * entries, which are valid.
 */
typedef void cn_mesh_look(const struct cn_field *field, const struct cn_mesh_turn *turn,
    const void *base, const int32_t *offset, int count, struct cn_mesh_looks *looks);

/*
 * The same of balls, whose radius is the record's fourth float: phi is a bound from below of their
 * distance from the surface, as good as it has to be to say that it is above `limit`; slope is the
 * point, turned.
 */
typedef void cn_mesh_reach(const struct cn_field *field, const struct cn_mesh_turn *turn,
    const void *base, const int32_t *offset, int count, float limit, struct cn_mesh_looks *looks);

/* A box in a mesh's frame; the fourth lanes are 0. */
struct cn_mesh_room {
    cn_four low, high;
};

/*
 * Of records `stride` bytes apart, of which those first, ..., first + count - 1 are asked for, the
 * first three floats are a point, and the fourth is the radius of a ball around it, if they are
 * balls: writes the offsets, in bytes behind base, of those that reach into the room, ascending,
 * and returns how many they are.  offset[] has room for all of them.
 */
static inline __attribute__((always_inline)) int
cn_mesh_within(const struct cn_mesh_room *room, const void *base, int stride, int first, int count,
    bool balls, int32_t *offset)
{
    const cn_four_mask place_only = {-1, -1, -1, 0};
    int found = 0;
    for (int i = first; i < first + count; i++) {
        cn_four row = cn_four_load((const float *)((const char *)base + stride * (ptrdiff_t)i));
        cn_four far = balls ? cn_four_splat(row[3]) : cn_four_splat(0.0F);
        cn_four place = (cn_four)((cn_four_mask)row & place_only);
        cn_four_mask in = (place + far >= room->low) & (place - far <= room->high);
        offset[found] = stride * i;
        found += (cn_four_bits(in) & 7) == 7;
    }
    return found;
}

struct cn_fast_mesh_kernel {
    const char *name;
    cn_mesh_look *look;
    cn_mesh_reach *reach;
};

extern const struct cn_fast_mesh_kernel cn_fast_mesh_single, cn_fast_mesh_plain,
    cn_fast_mesh_sse2, cn_fast_mesh_avx2, cn_fast_mesh_avx512, cn_fast_mesh_neon;

struct cn_mesh_candidate {
    cn_four place;  /* halfway between the surfaces */
    cn_four normal; /* from A to B */
    float separation;
    float urgency;  /* separation at the end of the tick, if nothing held the bodies */
};

/* One pair while it is looked at. */
struct cn_mesh_gather {
    const struct cn_fast_mesh_kernel *kernel;
    const struct cn_fast_mesh_pair *pair;
    cn_four between;
    cn_four velocity_a, velocity_b, spin_a, spin_b;
    float reach; /* margin, and how far the bodies may approach in the tick [m] */
    int sample_count;
    int count;
    int least; /* the least urgent, once there is no more room; -1: not known */
    struct cn_mesh_candidate candidate[CN_MESH_CANDIDATES];
};

/* A mesh's frame. */
struct cn_mesh_side {
    const struct cn_mesh *mesh;
    struct cn_fast_frame frame;
    bool is_a;
};

extern const struct cn_fast_frame cn_mesh_world;

struct cn_mesh_side cn_mesh_side_of(const struct cn_mesh_gather *gather, bool is_a);

/* From a frame in world axes into the mesh's. */
struct cn_mesh_turn cn_mesh_turn_between(
    const struct cn_fast_frame *from, const struct cn_fast_frame *to);

/*
 * A point of one body with its distance from the other's surface and the slope of that, of unit
 * length: a candidate, if it is near enough.  of_b: the distance is that from B.
 */
void cn_mesh_offer(
    struct cn_mesh_gather *gather, cn_four point, float phi, cn_four slope, bool of_b);

/* A point in the distance of a mesh, as the lanes know it. */
float cn_mesh_look_one(const struct cn_mesh_side *side, cn_four point, cn_four *slope);

/* Samples of a mesh against what is no mesh, and that in the mesh's field. */
void cn_mesh_against_solid(struct cn_mesh_gather *gather, const struct cn_mesh_side *side);

/*
 * Points in a mesh's field: rows of x, y, z and a radius that each of them has around it, world
 * axes; at most CN_MESH_BATCH.
 */
void cn_mesh_look_rows(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count, struct cn_mesh_looks *looks);

/* Offers rows that were looked up as number first and so on, but for those to skip (NULL: none). */
void cn_mesh_offer_rows(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count, int first, const struct cn_mesh_looks *looks,
    const bool *skip);

#define CN_MESH_EDGE_ROWS 8

/* An edge in a mesh's field: rows from one end to the other, evenly, at most CN_MESH_EDGE_ROWS;
 * the ends themselves are not offered. */
void cn_mesh_against_edge(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count);

/* Samples of a mesh that were looked up in some distance, and what to look along creases by. */
struct cn_mesh_creases {
    struct cn_mesh_gather *gather;
    const struct cn_mesh *mesh;       /* whose creases */
    const struct cn_mesh_turn *turn;  /* from its frame to that of the distance */
    const struct cn_fast_frame *low_frame; /* the frame of the distance, in world axes */
    const int32_t *offset;            /* of the samples, in bytes, ascending */
    int count;
    cn_low_distance *distance;
    void *context;
    bool in_b;                        /* the distance is that from B */
};

/* Offers the lows, and says which samples beside them to skip; looks as of cn_mesh_look. */
void cn_mesh_look_along(const struct cn_mesh_creases *creases, const struct cn_mesh_looks *looks,
    bool *skip);

/* The patches of a mesh that may touch another. */
struct cn_mesh_near {
    int count;
    uint8_t patch[CN_MESH_PATCHES_MAX];
    struct cn_mesh_room room; /* around their balls, and so far beyond as the bodies may approach,
                               * in the other's frame: what of the other is outside does not
                               * touch */
};

/* Patches of one mesh that are near in the other's field; where there is a room, of those in it. */
void cn_mesh_find_near(const struct cn_mesh_gather *gather, const struct cn_mesh_side *of,
    const struct cn_mesh_side *in, const struct cn_mesh_room *room, struct cn_mesh_near *near);

/* Whether two meshes are known to be too far apart for anything to be found. */
bool cn_mesh_is_clear(const struct cn_mesh_gather *gather, struct cn_fast_mesh_clear *clear);

/* Nothing was found of two meshes: finds out how far apart they are, where that may last. */
void cn_mesh_clear(struct cn_mesh_gather *gather, struct cn_fast_mesh_clear *clear);

/* Clusters the candidates. */
void cn_mesh_reduce(struct cn_mesh_gather *gather, struct cn_fast_mesh_found *found);

#endif
