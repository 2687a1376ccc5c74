/*
 * fast_spatial_mesh_inside.h: shared by the files of the meshes' narrowphase.
 *
 * Positions are in world axes with the origin at A's centre of mass, or in a mesh's frame.
 */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_INSIDE_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_INSIDE_H

#include "engine/collide/fast/fast_spatial_hull.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/mesh/mesh_low.h"

#define CN_MESH_LANES_MAX 16
#define CN_MESH_BATCH 256      /* points that are looked up at once */
#define CN_MESH_CANDIDATES 256 /* points that may become contacts; the most urgent ones are kept */

/* A rotation and a translation: x becomes origin + x axis[0] + y axis[1] + z axis[2]. */
struct cn_mesh_turn {
    float axis[3][3];
    float origin[3];
};

/* The results of lookups, in the order of the points. */
struct cn_mesh_looks {
    _Alignas(64) float phi[CN_MESH_BATCH + CN_MESH_LANES_MAX];
    _Alignas(64) float slope[3][CN_MESH_BATCH + CN_MESH_LANES_MAX]; /* in the field's frame */
};

/*
 * Looks up phi and its slope for count <= CN_MESH_BATCH records, at offset[] bytes behind base.
 * The first three floats of a record are a point, which `turn` moves into the field's frame.
 * offset[] has CN_MESH_LANES_MAX more entries, which are valid.
 */
typedef void cn_mesh_look(const struct cn_field *field, const struct cn_mesh_turn *turn,
    const void *base, const int32_t *offset, int count, struct cn_mesh_looks *looks);

/*
 * The same for balls, whose radius is the record's fourth float.  phi is a lower bound of their
 * distance from the surface; it need only be good enough to show that it is above `limit`.  slope
 * is the point in the field's frame.
 */
typedef void cn_mesh_reach(const struct cn_field *field, const struct cn_mesh_turn *turn,
    const void *base, const int32_t *offset, int count, float limit, struct cn_mesh_looks *looks);

/* A box in a mesh's frame; the fourth lanes are 0. */
struct cn_mesh_room {
    cn_four low, high;
};

/*
 * Selects the records that reach into the room, among first, ..., first + count - 1, which are
 * `stride` bytes apart.  The first three floats of a record are a point; if `balls`, the fourth is
 * the radius of a ball around it.  Writes the offsets of the selected records, in bytes behind
 * base, ascending, and returns their number.  offset[] has room for all of them.
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
    float urgency;  /* separation at the end of the tick, if no force held the bodies */
};

/* The data of one pair during its search. */
struct cn_mesh_gather {
    const struct cn_fast_mesh_kernel *kernel;
    const struct cn_fast_mesh_pair *pair;
    cn_four between;
    cn_four velocity_a, velocity_b, spin_a, spin_b;
    float reach; /* margin, plus the distance that the bodies may approach in the tick [m] */
    int sample_count;
    int count;
    int least; /* index of the least urgent, once there is no more room; -1: unknown */
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

/* From a frame in world axes into the mesh's frame. */
struct cn_mesh_turn cn_mesh_turn_between(
    const struct cn_fast_frame *from, const struct cn_fast_frame *to);

/*
 * Offers a point of one body, with its distance from the other's surface and the unit slope there.
 * It becomes a candidate if it is near enough.  of_b: the distance is that from B.
 */
void cn_mesh_offer(
    struct cn_mesh_gather *gather, cn_four point, float phi, cn_four slope, bool of_b);

/* Looks up one point in a mesh's field, with the result of the lanes. */
float cn_mesh_look_one(const struct cn_mesh_side *side, cn_four point, cn_four *slope);

/*
 * Looks up samples of a mesh in a shape that is not a mesh, and points of that shape in the mesh's
 * field.
 */
void cn_mesh_against_solid(struct cn_mesh_gather *gather, const struct cn_mesh_side *side);

/*
 * Looks up points in a mesh's field.  A row is x, y, z and a radius around that point, in world
 * axes; there are at most CN_MESH_BATCH rows.
 */
void cn_mesh_look_rows(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count, struct cn_mesh_looks *looks);

/* Offers rows that were looked up as entries `first` and on, without those to skip (NULL: none). */
void cn_mesh_offer_rows(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count, int first, const struct cn_mesh_looks *looks,
    const bool *skip);

#define CN_MESH_EDGE_ROWS 8

/*
 * Looks up an edge in a mesh's field: evenly spaced rows from one end to the other, at most
 * CN_MESH_EDGE_ROWS.  The ends themselves are not offered.
 */
void cn_mesh_against_edge(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count);

/*
 * Samples of a mesh that were looked up in some distance, and the data for searches along creases.
 */
struct cn_mesh_creases {
    struct cn_mesh_gather *gather;
    const struct cn_mesh *mesh;       /* to which the creases belong */
    const struct cn_mesh_turn *turn;  /* from its frame to that of the distance */
    const struct cn_fast_frame *low_frame; /* the frame of the distance, in world axes */
    const int32_t *offset;            /* of the samples, in bytes, ascending */
    int count;
    cn_low_distance *distance;
    void *context;
    bool in_b;                        /* the distance is that from B */
};

/* Offers the lows, and sets skip[] for the samples beside them; looks are those of cn_mesh_look. */
void cn_mesh_look_along(const struct cn_mesh_creases *creases, const struct cn_mesh_looks *looks,
    bool *skip);

/* The patches of a mesh that may touch another. */
struct cn_mesh_near {
    int count;
    uint8_t patch[CN_MESH_PATCHES_MAX];
    struct cn_mesh_room room; /* around their balls, and larger by the distance that the bodies may
                               * approach, in the other's frame: the other can not touch outside of
                               * it */
};

/*
 * Finds the patches of one mesh that are near in the other's field; with a room, only those in it.
 */
void cn_mesh_find_near(const struct cn_mesh_gather *gather, const struct cn_mesh_side *of,
    const struct cn_mesh_side *in, const struct cn_mesh_room *room, struct cn_mesh_near *near);

/* Whether two meshes are known to be too far apart for anything to be found. */
bool cn_mesh_is_clear(const struct cn_mesh_gather *gather, struct cn_fast_mesh_clear *clear);

/* For two meshes of which nothing was found: computes how far apart they are, if that may last. */
void cn_mesh_clear(struct cn_mesh_gather *gather, struct cn_fast_mesh_clear *clear);

/* Makes clusters of the candidates. */
void cn_mesh_reduce(struct cn_mesh_gather *gather, struct cn_fast_mesh_found *found);

#endif
