/*
 * fast_spatial_mesh_look.h: points that are looked up in a mesh's field, and the candidates among
 * them.
 *
 * Positions are in world axes with the origin at A's centre of mass, or in a mesh's frame.
 *
 * Invariants:
 *
 *     1  a batch has at most CN_MESH_BATCH points, and arrays have CN_MESH_LANES_MAX places more,
 *        so that lanes never read or write behind them
 *     2  a mesh has at most CN_MESH_PATCHES_MAX patches, which is at most a batch
 *     3  there are at most CN_MESH_CANDIDATES candidates; `least` is -1 or one of them
 */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_LOOK_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_LOOK_H

#include "engine/collide/fast/fast_spatial_hull.h"
#include "engine/collide/mesh/fast_spatial_mesh_pair.h"

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

/*
 * Offers a point that is near by the field of `side`: phi and slope are those of a lookup.  For a
 * sharp mesh its triangles give distance and slope.  The point is the middle of a ball.
 */
void cn_mesh_offer_in_field(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    cn_four point, float phi, cn_four slope, float radius);

/* Looks up one point in a mesh's field, with the result of the lanes. */
float cn_mesh_look_one(const struct cn_mesh_side *side, cn_four point, cn_four *slope);

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

/* The patches of a mesh that may touch another. */
struct cn_mesh_near {
    int count;
    uint8_t patch[CN_MESH_PATCHES_MAX];
    struct cn_mesh_room room; /* around their balls, and larger by the distance that the bodies may
                               * approach, in the other's frame: the other can not touch outside of
                               * it */
};

/*
 * The room around the box of one mesh, in the frame of the mesh `of`.  It is larger than the box by
 * the distance that the bodies may approach.
 */
struct cn_mesh_room cn_mesh_room_around(const struct cn_mesh_gather *gather,
    const struct cn_mesh_side *of, const struct cn_mesh_side *box);

/*
 * Finds the patches of one mesh that are near in the other's field; with a room, only those in it.
 */
void cn_mesh_find_near(const struct cn_mesh_gather *gather, const struct cn_mesh_side *of,
    const struct cn_mesh_side *in, const struct cn_mesh_room *room, struct cn_mesh_near *near);

#endif
