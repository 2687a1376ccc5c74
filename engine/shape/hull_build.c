#include "engine/shape/hull_build.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* Fraction of the diameter: points nearer than this to a plane count as in it. */
#define FLAT_RATIO 1e-7

/* Grid cells along the diameter; a determinant of differences then needs at most 114 bits. */
#define GRID_SIZE 68719476736.0 /* 2^36 */

/* When the build finds that the limit is exceeded, it has one vertex more than the limit. */
#define TRIANGLES_MAX (2 * (CN_HULL_VERTICES_MAX + 1) - 4)

__extension__ typedef __int128 wide_int;

struct triangle {
    bool is_alive;
    int vertex[3]; /* counter-clockwise from outside */
    cn_vec3 normal;
    int group; /* index of the first triangle in the same plane */
};

struct build {
    const cn_vec3 *point;
    int point_count;
    double flat; /* [m] */
    int64_t grid[CN_HULL_POINTS_MAX][3];
    bool is_done[CN_HULL_POINTS_MAX];   /* a corner, or inside the hull */
    double outside[CN_HULL_POINTS_MAX]; /* distance beyond the plane `above` [m] */
    int above[CN_HULL_POINTS_MAX];
    struct triangle triangle[TRIANGLES_MAX];
    int alive_count;
};

/* Positive where point d is on the outer side of the triangle (a, b, c); exact. */
static int
side_of(const struct build *h, const int corner[3], int d)
{
    int64_t m[3][3];
    for (int i = 0; i < 3; i++) {
        m[0][i] = h->grid[corner[1]][i] - h->grid[corner[0]][i];
        m[1][i] = h->grid[corner[2]][i] - h->grid[corner[0]][i];
        m[2][i] = h->grid[d][i] - h->grid[corner[0]][i];
    }
    wide_int det = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        wide_int minor = (wide_int)m[1][j] * m[2][k] - (wide_int)m[1][k] * m[2][j];
        det += (wide_int)m[0][i] * minor;
    }
    return (det > 0) - (det < 0);
}

static double
distance_above(const struct build *h, const struct triangle *t, int point)
{
    return cn_vec3_dot(t->normal, cn_vec3_sub(h->point[point], h->point[t->vertex[0]]));
}

/* ---- the first tetrahedron ---- */

static double
diagonal_of(const cn_vec3 *point, int count, cn_vec3 *low)
{
    cn_vec3 high = *low = point[0];
    for (int i = 1; i < count; i++) {
        *low = cn_vec3_make(
            cn_min(low->x, point[i].x), cn_min(low->y, point[i].y), cn_min(low->z, point[i].z));
        high = cn_vec3_make(
            cn_max(high.x, point[i].x), cn_max(high.y, point[i].y), cn_max(high.z, point[i].z));
    }
    return cn_vec3_length(cn_vec3_sub(high, *low));
}

/* The point farthest from corner[0] (count 1), or from the line (2) or plane (3) of the corners. */
static int
farthest_from(const struct build *h, const int *corner, int count, double *distance)
{
    cn_vec3 origin = h->point[corner[0]], along = {0.0, 0.0, 0.0};
    if (count > 1) {
        along = cn_vec3_sub(h->point[corner[1]], origin);
    }
    if (count > 2) {
        along = cn_vec3_cross(along, cn_vec3_sub(h->point[corner[2]], origin));
    }
    if (count > 1) {
        along = cn_vec3_scale(along, 1.0 / cn_vec3_length(along));
    }
    int best = corner[0];
    *distance = -1.0;
    for (int i = 0; i < h->point_count; i++) {
        cn_vec3 v = cn_vec3_sub(h->point[i], origin);
        double d = count == 1   ? cn_vec3_length(v)
                   : count == 2 ? cn_vec3_length(cn_vec3_cross(along, v))
                                : fabs(cn_vec3_dot(along, v));
        if (d > *distance) {
            *distance = d;
            best = i;
        }
    }
    return best;
}

static void
add_triangle(struct build *h, int a, int b, int c)
{
    int slot = 0;
    while (slot < TRIANGLES_MAX && h->triangle[slot].is_alive) {
        slot++;
    }
    CN_ASSERT(slot < TRIANGLES_MAX);
    cn_vec3 p = cn_vec3_sub(h->point[b], h->point[a]), q = cn_vec3_sub(h->point[c], h->point[a]);
    cn_vec3 normal = cn_vec3_cross(p, q);
    double length = cn_vec3_length(normal);
    struct triangle *t = &h->triangle[slot];
    *t = (struct triangle){.is_alive = true, .vertex = {a, b, c}};
    t->normal = length > 0.0 ? cn_vec3_scale(normal, 1.0 / length) : (cn_vec3){0.0, 0.0, 0.0};
    h->alive_count++;
    for (int i = 0; i < h->point_count; i++) {
        double d = h->is_done[i] ? 0.0 : distance_above(h, t, i);
        if (!h->is_done[i] && d > h->outside[i]) {
            h->outside[i] = d;
            h->above[i] = slot;
        }
    }
}

static enum cn_status
begin_build(struct build *h, const char *path, struct cn_defect *defect)
{
    static const char *const reason[] = {"lie in one place", "lie on one line", "lie in one plane"};
    int corner[4] = {0};
    for (int count = 1; count < 4; count++) {
        double distance;
        corner[count] = farthest_from(h, corner, count, &distance);
        if (!(distance > h->flat)) {
            return cn_defect_set(defect, CN_GEOMETRY, path, "%s, up to %.3g m; a hull has a volume",
                reason[count - 1], h->flat);
        }
    }
    if (side_of(h, corner, corner[3]) > 0) { /* the fourth must be behind the first three */
        int swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    for (int i = 0; i < 4; i++) {
        h->is_done[corner[i]] = true;
    }
    add_triangle(h, corner[0], corner[1], corner[2]);
    add_triangle(h, corner[0], corner[3], corner[1]);
    add_triangle(h, corner[1], corner[3], corner[2]);
    add_triangle(h, corner[2], corner[3], corner[0]);
    return CN_OK;
}

/* ---- growing ---- */

/* The point farthest outside; -1 when all are outside by less than the flatness tolerance. */
static int
farthest_outside(const struct build *h)
{
    int best = -1;
    for (int i = 0; i < h->point_count; i++) {
        if (!h->is_done[i] && h->outside[i] > h->flat &&
            (best < 0 || h->outside[i] > h->outside[best])) {
            best = i;
        }
    }
    return best;
}

static bool
has_edge(const struct triangle *t, int from, int to)
{
    for (int i = 0; i < 3; i++) {
        if (t->vertex[i] == from && t->vertex[(i + 1) % 3] == to) {
            return true;
        }
    }
    return false;
}

/* A point that lay above a removed triangle is compared with all present triangles again. */
static void
look_again(struct build *h, int point)
{
    h->outside[point] = 0.0;
    h->above[point] = -1;
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        if (h->triangle[i].is_alive) {
            double d = distance_above(h, &h->triangle[i], point);
            if (d > h->outside[point]) {
                h->outside[point] = d;
                h->above[point] = i;
            }
        }
    }
}

/* Replaces the triangles that see the point by triangles from it to the edges around them. */
static void
add_point(struct build *h, int point)
{
    struct triangle seen[TRIANGLES_MAX];
    int seen_count = 0;
    bool was_above[CN_HULL_POINTS_MAX] = {false};
    h->is_done[point] = true;
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        struct triangle *t = &h->triangle[i];
        if (t->is_alive && side_of(h, t->vertex, point) > 0) {
            seen[seen_count++] = *t;
            t->is_alive = false;
            h->alive_count--;
            for (int k = 0; k < h->point_count; k++) {
                was_above[k] = was_above[k] || h->above[k] == i;
            }
        }
    }
    for (int k = 0; k < h->point_count; k++) {
        if (was_above[k] && !h->is_done[k]) {
            look_again(h, k);
        }
    }
    for (int i = 0; i < seen_count; i++) {
        for (int k = 0; k < 3; k++) {
            int from = seen[i].vertex[k], to = seen[i].vertex[(k + 1) % 3];
            bool is_inner = false;
            for (int j = 0; j < seen_count && !is_inner; j++) {
                is_inner = has_edge(&seen[j], to, from);
            }
            if (!is_inner) {
                add_triangle(h, from, to, point);
            }
        }
    }
}

/* ---- faces ---- */

static int
root_of(const struct build *h, int index)
{
    while (h->triangle[index].group != index) {
        index = h->triangle[index].group;
    }
    return index;
}

static bool
is_flat(const struct build *h, const struct triangle *a, const struct triangle *b)
{
    for (int i = 0; i < 3; i++) {
        if (fabs(distance_above(h, a, b->vertex[i])) > 2.0 * h->flat ||
            fabs(distance_above(h, b, a->vertex[i])) > 2.0 * h->flat) {
            return false;
        }
    }
    return cn_vec3_dot(a->normal, b->normal) > 0.0;
}

static bool
is_adjacent(const struct triangle *a, const struct triangle *b)
{
    for (int k = 0; k < 3; k++) {
        if (has_edge(b, a->vertex[(k + 1) % 3], a->vertex[k])) {
            return true;
        }
    }
    return false;
}

static void
group_triangles(struct build *h)
{
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        h->triangle[i].group = i;
    }
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        for (int j = 0; j < i && h->triangle[i].is_alive; j++) {
            const struct triangle *a = &h->triangle[i], *b = &h->triangle[j];
            if (b->is_alive && is_adjacent(a, b) && is_flat(h, a, b)) {
                int root_a = root_of(h, i), root_b = root_of(h, j);
                h->triangle[root_a > root_b ? root_a : root_b].group =
                    root_a > root_b ? root_b : root_a;
            }
        }
    }
}

/* The number of faces that meet at a point, up to 3; with fewer the point is no corner. */
static int
face_count_at(const struct build *h, int point)
{
    int group[3], count = 0;
    for (int i = 0; i < TRIANGLES_MAX && count < 3; i++) {
        const struct triangle *t = &h->triangle[i];
        bool has = t->vertex[0] == point || t->vertex[1] == point || t->vertex[2] == point;
        if (!t->is_alive || !has) {
            continue;
        }
        int root = root_of(h, i);
        bool is_new = true;
        for (int k = 0; k < count; k++) {
            is_new = is_new && group[k] != root;
        }
        if (is_new) {
            group[count++] = root;
        }
    }
    return count;
}

/* Whether an edge of one of the group's triangles lies inside the group. */
static bool
is_inside_group(const struct build *h, int root, int from, int to)
{
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        if (h->triangle[i].is_alive && root_of(h, i) == root &&
            has_edge(&h->triangle[i], to, from)) {
            return true;
        }
    }
    return false;
}

/*
 * Walks around a group. number[] gives the corners' indices in the hull; it is -1 for points that
 * are not corners.
 */
static bool
add_loop(const struct build *h, int root, const int *number, uint8_t *loop, int room, int *size)
{
    int next[CN_HULL_POINTS_MAX], first = -1, edge_count = 0;
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        const struct triangle *t = &h->triangle[i];
        for (int k = 0; k < 3 && t->is_alive && root_of(h, i) == root; k++) {
            int from = t->vertex[k], to = t->vertex[(k + 1) % 3];
            if (!is_inside_group(h, root, from, to)) {
                next[from] = to;
                first = first < 0 || from < first ? from : first;
                edge_count++;
            }
        }
    }
    *size = 0;
    int at = first;
    for (; first >= 0 && edge_count > 0; edge_count--) {
        if (number[at] >= 0) {
            if (*size == room) {
                return false;
            }
            loop[(*size)++] = (uint8_t)number[at];
        }
        at = next[at];
        if (at == first) {
            break;
        }
    }
    return edge_count == 1 && *size >= 3; /* one loop that uses every edge */
}

/*
 * Whether the corners of every face lie in its plane, and no vertex beyond it.  The plane of a
 * group of triangles may deviate from them.
 */
static bool
is_convex(const struct cn_hull *hull, double tolerance)
{
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    struct cn_edge edge[CN_HULL_EDGES_MAX];
    struct cn_face face[CN_HULL_FACES_MAX];
    struct cn_corner corner[2 * CN_HULL_EDGES_MAX];
    struct cn_polytope_store store = {vertex, edge, face, corner};
    struct cn_polytope polytope;
    if (hull->vertex_count - cn_hull_corner_count(hull) / 2 + hull->face_count != 2) {
        return false; /* Euler's formula is violated */
    }
    const cn_pose still = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    cn_polytope_make(hull, &still, &store, &polytope);
    for (int i = 0; i < polytope.face_count; i++) {
        for (int k = 0; k < face[i].corner_count; k++) {
            cn_vec3 v = vertex[corner[face[i].corner_first + k].vertex];
            if (face[i].offset - cn_vec3_dot(face[i].normal, v) > tolerance) {
                return false;
            }
        }
        for (int k = 0; k < polytope.vertex_count; k++) {
            if (cn_vec3_dot(face[i].normal, vertex[k]) - face[i].offset > tolerance) {
                return false;
            }
        }
    }
    return true;
}

static bool
make_faces(struct build *h, struct cn_hull *hull)
{
    int number[CN_HULL_POINTS_MAX], used = 0;
    CN_ASSERT(h->alive_count >= 4 && h->alive_count % 2 == 0); /* a closed surface */
    group_triangles(h);
    hull->vertex_count = hull->face_count = 0;
    for (int i = 0; i < h->point_count; i++) {
        number[i] = face_count_at(h, i) >= 3 ? hull->vertex_count : -1;
        if (number[i] >= 0) {
            hull->vertex[hull->vertex_count++] = h->point[i];
        }
    }
    for (int i = 0; i < TRIANGLES_MAX; i++) {
        if (!h->triangle[i].is_alive || root_of(h, i) != i) {
            continue;
        }
        int size, room = 2 * CN_HULL_EDGES_MAX - used;
        if (hull->face_count == CN_HULL_FACES_MAX ||
            !add_loop(h, i, number, hull->loop + used, room, &size)) {
            return false;
        }
        hull->face_size[hull->face_count++] = (uint8_t)size;
        used += size;
    }
    return is_convex(hull, 8.0 * h->flat);
}

enum cn_status
cn_hull_build(const cn_vec3 *points, int point_count, const char *path, struct cn_hull *hull,
    struct cn_defect *defect)
{
    if (point_count < 4 || point_count > CN_HULL_POINTS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, path, "has %d entries; a hull is of 4 to %d points",
            point_count, CN_HULL_POINTS_MAX);
    }
    struct build h;
    memset(&h, 0, sizeof(h));
    h.point = points;
    h.point_count = point_count;
    cn_vec3 low;
    double size = diagonal_of(points, point_count, &low);
    CN_ASSERT(isfinite(size));
    double cells = size > 0.0 ? GRID_SIZE / size : 0.0;
    h.flat = FLAT_RATIO * size;
    for (int i = 0; i < point_count; i++) {
        cn_vec3 v = cn_vec3_sub(points[i], low);
        h.grid[i][0] = (int64_t)floor(cells * v.x + 0.5);
        h.grid[i][1] = (int64_t)floor(cells * v.y + 0.5);
        h.grid[i][2] = (int64_t)floor(cells * v.z + 0.5);
        h.above[i] = -1;
    }
    enum cn_status status = begin_build(&h, path, defect);
    for (int next = 0; status == CN_OK && (next = farthest_outside(&h)) >= 0;) {
        add_point(&h, next);
        if (h.alive_count / 2 + 2 > CN_HULL_VERTICES_MAX) {
            status = cn_defect_set(defect, CN_LIMIT, path, "have a hull of more than %d corners",
                CN_HULL_VERTICES_MAX);
        }
    }
    if (status == CN_OK && !make_faces(&h, hull)) {
        status = cn_defect_set(defect, CN_GEOMETRY, path,
            "make faces that are too nearly flat to be told apart; move points by more than %.3g m",
            h.flat);
    }
    CN_ASSERT(status != CN_OK || (4 <= hull->vertex_count && 4 <= hull->face_count));
    return status;
}
