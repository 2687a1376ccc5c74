/*
 * hull.c: the faces, edges and mass of the convex hull of points, by docs/certificates.md.
 *
 * Every plane through three points is tried.  Doubles decide on which side of it a point clearly
 * lies; exact numbers decide the others.
 */
#include "engine/base/assert.h"
#include "verify/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DOUBT 1e-12 /* a smaller determinant, in cubes of the size, is found exactly */

struct cloud {
    struct q_pool *pool;
    int n;
    struct vf_vec p[CN_HULL_POINTS_MAX];
    double at[CN_HULL_POINTS_MAX][3]; /* relative to the first */
    double size;
    int face_count, room;
    bool (*on)[CN_HULL_POINTS_MAX]; /* points of each face */
    struct vf_vec *normal;
};

static struct vf_vec
exact_normal(struct cloud *c, const int *t)
{
    return vf_turned(c->pool, vf_sub(c->pool, c->p[t[1]], c->p[t[0]]),
        vf_sub(c->pool, c->p[t[2]], c->p[t[0]]));
}

/* The side of the plane through three points on which point l lies. */
static int
side_of(struct cloud *c, const int *t, int l)
{
    double m[3][3];
    for (int k = 0; k < 3; k++) {
        m[0][k] = c->at[t[1]][k] - c->at[t[0]][k];
        m[1][k] = c->at[t[2]][k] - c->at[t[0]][k];
        m[2][k] = c->at[l][k] - c->at[t[0]][k];
    }
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                 m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (fabs(det) > DOUBT * c->size * c->size * c->size) {
        return det > 0.0 ? 1 : -1;
    }
    size_t mark = q_mark(c->pool);
    struct vf_vec way = vf_sub(c->pool, c->p[l], c->p[t[0]]);
    int side = mpq_sgn(vf_dot(c->pool, exact_normal(c, t), way));
    q_release(c->pool, mark);
    return side;
}

/* The outward normal of a face: coprime integers over their length. */
static struct vf_vec
outward_unit(struct cloud *c, const int *t, int inner_side)
{
    struct q_pool *pool = c->pool;
    struct vf_vec n = exact_normal(c, t);
    q common = q_gcd(pool, n.x, q_gcd(pool, n.y, n.z));
    n = vf_times(pool, q_div(pool, q_int(pool, -inner_side), common), n);
    q length = q_root(pool, vf_dot(pool, n, n));
    return (struct vf_vec){
        q_div(pool, n.x, length), q_div(pool, n.y, length), q_div(pool, n.z, length)};
}

static void
try_plane(struct cloud *c, const int *t)
{
    for (int f = 0; f < c->face_count; f++) {
        if (c->on[f][t[0]] && c->on[f][t[1]] && c->on[f][t[2]]) {
            return;
        }
    }
    bool on[CN_HULL_POINTS_MAX] = {false};
    int inner = 0;
    for (int l = 0; l < c->n; l++) {
        int side = l == t[0] || l == t[1] || l == t[2] ? 0 : side_of(c, t, l);
        if (side != 0 && side == -inner) {
            return;
        }
        inner = side != 0 ? side : inner;
        on[l] = side == 0;
    }
    if (inner == 0) {
        return; /* the three are on a line */
    }
    CN_ASSERT(c->face_count < c->room);
    memcpy(c->on[c->face_count], on, sizeof(on));
    c->normal[c->face_count++] = outward_unit(c, t, inner);
}

static int
faces_shared(const struct cloud *c, int i, int j)
{
    int count = 0;
    for (int f = 0; f < c->face_count; f++) {
        count += c->on[f][i] && c->on[f][j];
    }
    return count;
}

/* Reads the points, each once. */
static void
read_points(struct cloud *c, const struct cn_shape_def *def)
{
    for (int i = 0; i < def->hull.vertex_count; i++) {
        struct vf_vec p = vf_vector(c->pool, def->hull.vertices[i]);
        bool is_new = true;
        for (int k = 0; k < c->n; k++) {
            is_new = is_new && !(q_same(p.x, c->p[k].x) && q_same(p.y, c->p[k].y) &&
                                   q_same(p.z, c->p[k].z));
        }
        if (is_new) {
            c->p[c->n++] = p;
        }
    }
    for (int i = 0; i < c->n; i++) {
        struct vf_vec way = vf_sub(c->pool, c->p[i], c->p[0]);
        for (int k = 0; k < 3; k++) {
            c->at[i][k] = mpq_get_d(vf_part(way, k));
            c->size = fmax(c->size, fabs(c->at[i][k]));
        }
    }
}

/*
 * Adds the hull to the sums: pyramids from its first corner, over triangles of its faces.  A
 * tetrahedron has second moments V / 20 (sum of v v' + s s'), s the sum of its corners v.
 */
static void
weigh_hull(struct q_pool *pool, struct vf_sums *sums, const struct vf_shape *shape,
    const struct cloud *c, const int *number, double density)
{
    q spread = q_of_double(pool, density > 0.0 ? density : 1.0);
    sums->by_density = sums->by_density || density > 0.0;
    sums->has_hull = true;
    for (int f = 0; f < shape->face_count; f++) {
        struct vf_vec v[5] = {shape->corner[0], shape->corner[shape->face[f].corner]};
        for (int k = 0; k < shape->edge_count; k++) {
            const int *edge = shape->edge[k];
            if (!c->on[f][number[edge[0]]] || !c->on[f][number[edge[1]]]) {
                continue;
            }
            v[2] = shape->corner[edge[0]];
            v[3] = shape->corner[edge[1]];
            struct vf_vec d = vf_sub(pool, v[2], v[1]), e = vf_sub(pool, v[3], v[1]);
            struct vf_vec apex = vf_sub(pool, v[0], v[1]);
            q six = q_abs(pool, vf_dot(pool, vf_turned(pool, d, e), apex));
            q mass = q_mul(pool, spread, q_div(pool, six, q_int(pool, 6)));
            v[4] = vf_add(pool, vf_add(pool, v[0], v[1]), vf_add(pool, v[2], v[3]));
            q part = q_div(pool, mass, q_int(pool, 20));
            for (int i = 0; i < 5; i++) { /* the inertia is the trace minus the second moments */
                vf_add_square(pool, sums->tensor, q_neg(pool, part), v[i]);
                vf_add_diagonal(pool, sums->tensor, q_mul(pool, part, vf_dot(pool, v[i], v[i])));
            }
            sums->mass = q_add(pool, sums->mass, mass);
            sums->first = vf_add(
                pool, sums->first, vf_times(pool, q_div(pool, mass, q_int(pool, 4)), v[4]));
        }
    }
}

/* Fills corners, faces and edges; number[]: the point of a corner. */
static void
fill_solid(struct cloud *c, struct vf_shape *shape, int *number)
{
    for (int i = 0; i < c->n; i++) {
        if (faces_shared(c, i, i) >= 3) {
            number[shape->n] = i;
            shape->corner[shape->n++] = c->p[i];
        }
    }
    shape->edge = vf_alloc((size_t)(3 * shape->n), sizeof(*shape->edge));
    for (int i = 0; i < shape->n; i++) {
        for (int j = i + 1; j < shape->n; j++) {
            if (faces_shared(c, number[i], number[j]) >= 2) {
                CN_ASSERT(shape->edge_count < 3 * shape->n);
                shape->edge[shape->edge_count][0] = i;
                shape->edge[shape->edge_count++][1] = j;
            }
        }
    }
    shape->face_count = c->face_count;
    shape->face = vf_alloc((size_t)c->face_count, sizeof(*shape->face));
    for (int f = 0; f < c->face_count; f++) {
        int corner = 0;
        while (!c->on[f][number[corner]]) {
            corner++;
            CN_ASSERT(corner < shape->n);
        }
        shape->face[f] = (struct vf_face){c->normal[f], corner};
    }
}

static q
extent_of(struct q_pool *pool, const struct cloud *c)
{
    q extent = q_int(pool, 0);
    for (int k = 0; k < 3; k++) {
        q low = vf_part(c->p[0], k), high = low;
        for (int i = 1; i < c->n; i++) {
            low = q_min(low, vf_part(c->p[i], k));
            high = q_max(high, vf_part(c->p[i], k));
        }
        extent = q_max(extent, q_sub(pool, high, low));
    }
    return extent;
}

void
vf_hull_read(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct vf_frame *own, const struct vf_frame *body, struct vf_sums *sums)
{
    struct cloud *c = vf_alloc(1, sizeof(*c));
    int number[CN_HULL_POINTS_MAX];
    c->pool = pool;
    read_points(c, def);
    c->room = 2 * c->n;
    c->on = vf_alloc((size_t)c->room, sizeof(*c->on));
    c->normal = vf_alloc((size_t)c->room, sizeof(*c->normal));
    int t[3];
    for (t[0] = 0; t[0] < c->n; t[0]++) {
        for (t[1] = t[0] + 1; t[1] < c->n; t[1]++) {
            for (t[2] = t[1] + 1; t[2] < c->n; t[2]++) {
                try_plane(c, t);
            }
        }
    }
    fill_solid(c, shape, number);
    shape->extent = extent_of(pool, c);
    for (int i = 0; i < shape->n; i++) {
        shape->corner[i] = vf_frame_place(pool, own, shape->corner[i]);
    }
    weigh_hull(pool, sums, shape, c, number, def->density);
    for (int i = 0; i < shape->n; i++) {
        shape->corner[i] = vf_frame_place(pool, body, shape->corner[i]);
    }
    for (int f = 0; f < shape->face_count; f++) {
        struct vf_vec n = vf_frame_turn(pool, own, shape->face[f].normal);
        shape->face[f].normal = vf_frame_turn(pool, body, n);
    }
    free(c->on);
    free(c->normal);
    free(c);
}
