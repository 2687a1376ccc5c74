#include "prove/solid.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"

#include <math.h>
#include <stdint.h>

#define FACETS_MAX (2 * CN_HULL_POINTS_MAX - 4) /* Euler's formula, all faces triangles */
#define WORDS ((FACETS_MAX + 63) / 64)
#define BLUR 1e-13 /* error of a determinant in doubles, in cubes of the points' spread */

/* The faces on which a point lies, one bit each. */
struct marks {
    uint64_t word[WORDS];
};

struct build {
    const pv_vec *point;
    int count;
    double (*at)[3]; /* the points relative to the first, rounded */
    double blur;
    struct marks *on;
    int8_t *side;
    struct pv_solid *solid;
};

static void
solid_reserve(struct pv_solid *solid, int facets, int edges)
{
    solid->facet = pv_alloc((size_t)facets, sizeof(*solid->facet));
    for (int f = 0; f < facets; f++) {
        pv_vec_init(&solid->facet[f].normal);
    }
    solid->edge = edges > 0 ? pv_alloc((size_t)edges, sizeof(*solid->edge)) : NULL;
}

static bool
shares_facet(const struct build *b, int i, int j, int k)
{
    for (int w = 0; w < WORDS; w++) {
        if ((b->on[i].word[w] & b->on[j].word[w] & b->on[k].word[w]) != 0) {
            return true;
        }
    }
    return false;
}

/* The number of faces that two points share; the same point twice: of its faces.  At most 3. */
static int
shared_facets(const struct build *b, int i, int j)
{
    int count = 0;
    for (int f = 0; f < b->solid->facet_count && count < 3; f++) {
        count += ((b->on[i].word[f / 64] & b->on[j].word[f / 64]) >> f % 64 & 1) != 0;
    }
    return count;
}

/* out = (p_j - p_i) x (p_k - p_i) */
static void
find_normal(const struct build *b, pv_vec *out, int i, int j, int k)
{
    pv_vec d, e;
    pv_vec_init(&d);
    pv_vec_init(&e);
    pv_vec_sub(&d, &b->point[j], &b->point[i]);
    pv_vec_sub(&e, &b->point[k], &b->point[i]);
    pv_cross(out, &d, &e);
    pv_vec_clear(&d);
    pv_vec_clear(&e);
}

static int
exact_side(const struct build *b, const pv_vec *normal, int i, int l)
{
    pv_vec d;
    mpq_t h;
    mpq_init(h);
    pv_vec_init(&d);
    pv_vec_sub(&d, &b->point[l], &b->point[i]);
    pv_dot(h, normal, &d);
    int side = mpq_sgn(h);
    pv_vec_clear(&d);
    mpq_clear(h);
    return side;
}

/*
 * Fills side[] with the sides of all points on the plane through i, j, k.  1 or -1: the side on
 * which all points are that are not in the plane; 0: there is no such plane.
 */
static int
find_sides(struct build *b, pv_vec *normal, int i, int j, int k)
{
    double d[3], e[3], n[3];
    for (int m = 0; m < 3; m++) {
        d[m] = b->at[j][m] - b->at[i][m];
        e[m] = b->at[k][m] - b->at[i][m];
    }
    for (int m = 0; m < 3; m++) {
        n[m] = d[(m + 1) % 3] * e[(m + 2) % 3] - d[(m + 2) % 3] * e[(m + 1) % 3];
    }
    bool has_normal = false;
    int all = 0;
    for (int l = 0; l < b->count; l++) {
        double h = 0.0;
        for (int m = 0; m < 3; m++) {
            h += n[m] * (b->at[l][m] - b->at[i][m]);
        }
        int side = l == i || l == j || l == k ? 0 : h > 0.0 ? 1 : -1;
        if (side != 0 && fabs(h) <= b->blur) {
            if (!has_normal) {
                find_normal(b, normal, i, j, k);
                has_normal = true;
            }
            side = exact_side(b, normal, i, l);
        }
        if (side * all < 0) {
            return 0;
        }
        all = side != 0 ? side : all;
        b->side[l] = (int8_t)side;
    }
    if (!has_normal) {
        find_normal(b, normal, i, j, k);
    }
    return all;
}

/* Divides a vector of integers by their common factor, then by the length. */
static void
make_unit(pv_vec *v)
{
    mpz_t common;
    mpq_t scale;
    mpz_init_set_ui(common, 1);
    mpq_init(scale);
    for (int k = 0; k < 3; k++) {
        mpz_lcm(common, common, mpq_denref(v->c[k]));
    }
    mpq_set_z(scale, common);
    mpz_set_ui(common, 0);
    for (int k = 0; k < 3; k++) {
        mpq_mul(v->c[k], v->c[k], scale);
        mpz_gcd(common, common, mpq_numref(v->c[k]));
    }
    CN_ASSERT(mpz_sgn(common) > 0); /* the three points are not on a line */
    mpq_set_z(scale, common);
    for (int k = 0; k < 3; k++) {
        mpq_div(v->c[k], v->c[k], scale);
    }
    pv_dot(scale, v, v);
    pv_root(scale, scale);
    for (int k = 0; k < 3; k++) {
        mpq_div(v->c[k], v->c[k], scale);
    }
    mpz_clear(common);
    mpq_clear(scale);
}

static void
try_plane(struct build *b, int i, int j, int k)
{
    struct pv_solid *solid = b->solid;
    struct pv_facet *facet = &solid->facet[solid->facet_count];
    int side = shares_facet(b, i, j, k) ? 0 : find_sides(b, &facet->normal, i, j, k);
    if (side == 0) {
        return;
    }
    int f = solid->facet_count++;
    CN_ASSERT(f < FACETS_MAX);
    if (side > 0) {
        pv_vec_negate(&facet->normal);
    }
    make_unit(&facet->normal);
    for (int l = 0; l < b->count; l++) {
        b->on[l].word[f / 64] |= (uint64_t)(b->side[l] == 0) << f % 64;
    }
}

/* Moves the corners, which lie on three faces and more, to the beginning. */
static void
keep_corners(struct build *b, pv_vec *point)
{
    int count = 0;
    for (int i = 0; i < b->count; i++) {
        if (shared_facets(b, i, i) >= 3) {
            if (count != i) {
                pv_vec_set(&point[count], &point[i]);
                b->on[count] = b->on[i];
            }
            count++;
        }
    }
    b->solid->corner_count = count;
}

static void
find_edges(struct build *b)
{
    struct pv_solid *solid = b->solid;
    int room = 3 * solid->corner_count - 6; /* Euler's formula */
    solid->edge = pv_alloc((size_t)room, sizeof(*solid->edge));
    solid->has = pv_alloc(
        (size_t)(solid->facet_count * solid->corner_count), sizeof(*solid->has));
    for (int i = 0; i < solid->corner_count; i++) {
        for (int j = i + 1; j < solid->corner_count; j++) {
            if (shared_facets(b, i, j) >= 2) {
                CN_ASSERT(solid->edge_count < room);
                solid->edge[solid->edge_count][0] = i;
                solid->edge[solid->edge_count++][1] = j;
            }
        }
    }
    for (int f = 0; f < solid->facet_count; f++) {
        for (int i = solid->corner_count - 1; i >= 0; i--) {
            bool is_on = (b->on[i].word[f / 64] >> f % 64 & 1) != 0;
            solid->has[f * solid->corner_count + i] = is_on;
            solid->facet[f].corner = is_on ? i : solid->facet[f].corner;
        }
    }
}

/* Drops points that occur before.  Returns the new count. */
static int
drop_doubles(pv_vec *point, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool is_new = true;
        for (int k = 0; k < kept && is_new; k++) {
            is_new = !mpq_equal(point[i].c[0], point[k].c[0]) ||
                     !mpq_equal(point[i].c[1], point[k].c[1]) ||
                     !mpq_equal(point[i].c[2], point[k].c[2]);
        }
        if (is_new) {
            pv_vec_set(&point[kept++], &point[i]);
        }
    }
    return kept;
}

static void
round_points(struct build *b)
{
    pv_vec d;
    double spread = 0.0;
    pv_vec_init(&d);
    for (int i = 0; i < b->count; i++) {
        pv_vec_sub(&d, &b->point[i], &b->point[0]);
        for (int k = 0; k < 3; k++) {
            b->at[i][k] = pv_double(d.c[k]);
            spread = fmax(spread, fabs(b->at[i][k]));
        }
    }
    b->blur = BLUR * spread * spread * spread;
    pv_vec_clear(&d);
}

void
pv_solid_init_hull(struct pv_solid *solid, pv_vec *point, int count)
{
    CN_ASSERT(4 <= count && count <= CN_HULL_POINTS_MAX);
    *solid = (struct pv_solid){0};
    solid_reserve(solid, FACETS_MAX + 1, 0);
    struct build b = {.point = point, .count = drop_doubles(point, count), .solid = solid};
    b.at = pv_alloc((size_t)b.count, sizeof(*b.at));
    b.on = pv_alloc((size_t)b.count, sizeof(*b.on));
    b.side = pv_alloc((size_t)b.count, sizeof(*b.side));
    round_points(&b);
    for (int i = 0; i < b.count; i++) {
        for (int j = i + 1; j < b.count; j++) {
            for (int k = j + 1; k < b.count; k++) {
                try_plane(&b, i, j, k);
            }
        }
    }
    keep_corners(&b, point);
    find_edges(&b);
    for (int f = solid->facet_count; f <= FACETS_MAX; f++) {
        pv_vec_clear(&solid->facet[f].normal);
    }
    CN_ASSERT(solid->facet_count >= 4 &&
              solid->corner_count - solid->edge_count + solid->facet_count == 2); /* Euler */
    pv_free(b.at);
    pv_free(b.on);
    pv_free(b.side);
}

void
pv_solid_init_cuboid(struct pv_solid *solid)
{
    *solid = (struct pv_solid){.facet_count = 6, .corner_count = 8};
    solid_reserve(solid, 6, 12);
    solid->has = pv_alloc((size_t)(6 * 8), sizeof(*solid->has));
    for (int f = 0; f < 6; f++) {
        int axis = f / 2, bit = f % 2 == 0 ? 1 : 0;
        mpq_set_si(solid->facet[f].normal.c[axis], bit == 1 ? 1 : -1, 1);
        solid->facet[f].corner = bit << axis;
        for (int i = 0; i < 8; i++) {
            solid->has[8 * f + i] = (i >> axis & 1) == bit;
        }
    }
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 3; k++) {
            if ((i >> k & 1) == 0) {
                solid->edge[solid->edge_count][0] = i;
                solid->edge[solid->edge_count++][1] = i | 1 << k;
            }
        }
    }
}

void
pv_solid_turn(struct pv_solid *solid, const struct pv_place *place)
{
    for (int f = 0; f < solid->facet_count; f++) {
        pv_place_turn(place, &solid->facet[f].normal);
    }
}

void
pv_solid_finish(struct pv_solid *solid)
{
    for (int f = 0; f < solid->facet_count; f++) {
        pv_vec_clear(&solid->facet[f].normal);
    }
    pv_free(solid->facet);
    pv_free(solid->edge);
    pv_free(solid->has);
    *solid = (struct pv_solid){0};
}
