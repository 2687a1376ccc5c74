#include "engine/collide/query/part.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* Sine by which an arc extends beyond its ends, so that nothing passes through where edges join. */
#define SECTOR_SLACK 1e-12

int
cn_part_count(const struct cn_shape *shape)
{
    if (shape->mesh != NULL) {
        return shape->mesh->mesh->triangle_count;
    }
    return shape->bulge == NULL ? 1 : 2 * shape->vertex_count;
}

static int
edge_count(const struct cn_shape *shape)
{
    return shape->vertex_count - shape->open;
}

static int
next_vertex(const struct cn_shape *shape, int i)
{
    return i + 1 < shape->vertex_count ? i + 1 : 0;
}

static bool
is_hollow(const struct cn_shape *shape, int edge)
{
    int n = shape->vertex_count;
    int i = edge < 0 ? (shape->open ? n : n - 1) : edge;
    return i < edge_count(shape) && shape->bulge[i] < 0.0;
}

static void
get_edge(const struct cn_shape *shape, int i, bool moving, struct cn_part *part)
{
    CN_ASSERT(0 <= i && i < edge_count(shape));
    part->ends[0] = shape->vertex[i];
    part->ends[1] = shape->vertex[next_vertex(shape, i)];
    double bulge = moving && shape->bulge[i] < 0.0 ? 0.0 : shape->bulge[i];
    part->bulge = bulge;
    if (bulge < 0.0) {
        struct cn_border border = {part->ends[0], part->ends[1], bulge};
        part->kind = CN_PART_HOLLOW;
        part->center = cn_border_center(&border);
        part->radius = cn_border_radius(&border);
        return;
    }
    part->kind = CN_PART_CONVEX;
    part->convex = cn_convex_edge(part->ends, bulge);
}

static cn_vec2
front_of(const struct cn_shape *shape, int edge)
{
    cn_vec2 along = cn_vec2_sub(shape->vertex[next_vertex(shape, edge)], shape->vertex[edge]);
    cn_vec2 right = cn_vec2_right(along);
    return cn_vec2_scale(right, 1.0 / cn_vec2_length(right));
}

static bool
get_border_part(const struct cn_shape *shape, int i, bool moving, struct cn_part *part)
{
    int n = shape->vertex_count, edge = i % n;
    part->one_sided = shape->kind == CN_SHAPE_CHAIN && !moving;
    if (i < n) {
        if (edge >= edge_count(shape)) {
            return false;
        }
        part->front = front_of(shape, edge);
        get_edge(shape, edge, moving, part);
        return true;
    }
    if (moving || !(is_hollow(shape, edge) || is_hollow(shape, edge - 1))) {
        return false;
    }
    part->front = front_of(shape, is_hollow(shape, edge) ? edge : (edge + n - 1) % n);
    part->kind = CN_PART_CONVEX;
    part->ends[0] = shape->vertex[edge];
    part->convex = (struct cn_convex){.vertex_count = 1, .flat = part->ends};
    return true;
}

static void
get_triangle(const struct cn_placed_mesh *placed, int i, struct cn_part *part)
{
    CN_ASSERT(0 <= i && i < placed->mesh->triangle_count);
    for (int k = 0; k < 3; k++) {
        part->corner[k] =
            cn_pose_apply(&placed->pose, placed->mesh->vertex[placed->mesh->triangle[i][k]]);
    }
    part->convex = (struct cn_convex){.vertex_count = 3, .solid = part->corner};
}

#define DEPTH_MAX 64 /* of a mesh's tree; its halves are about equal, so 2^17 triangles need 17 */

static bool
node_meets(const struct cn_mesh_node *node, const cn_aabb *box)
{
    return (double)node->low[0] <= box->high.x && (double)node->high[0] >= box->low.x &&
           (double)node->low[1] <= box->high.y && (double)node->high[1] >= box->low.y &&
           (double)node->low[2] <= box->high.z && (double)node->high[2] >= box->low.z;
}

static void
near_triangles(
    const struct cn_placed_mesh *placed, const cn_aabb *box, cn_part_visit *visit, void *context)
{
    const struct cn_mesh *mesh = placed->mesh;
    cn_aabb in = cn_aabb_turn_back(&placed->pose, box);
    int stack[DEPTH_MAX], depth = 0, node = 0;
    for (;;) {
        const struct cn_mesh_node *n = &mesh->node[node];
        bool near = node_meets(n, &in);
        if (near && n->count == 0) {
            CN_ASSERT(depth < DEPTH_MAX);
            stack[depth++] = n->right;
            node++;
            continue;
        }
        for (int i = 0; near && i < n->count; i++) {
            if (!visit(context, mesh->tree_triangle[-1 - n->right + i])) {
                return;
            }
        }
        if (depth == 0) {
            return;
        }
        node = stack[--depth];
    }
}

void
cn_part_near(const struct cn_shape *shape, const cn_aabb *box, cn_part_visit *visit, void *context)
{
    if (shape->mesh != NULL) {
        near_triangles(shape->mesh, box, visit, context);
        return;
    }
    int count = cn_part_count(shape);
    for (int i = 0; i < count && visit(context, i); i++) {
    }
}

bool
cn_part_mesh_holds(const struct cn_shape *shape, cn_vec3 point)
{
    return shape->mesh != NULL &&
           cn_mesh_distance(shape->mesh->mesh, cn_pose_invert(&shape->mesh->pose, point)) < 0.0;
}

bool
cn_part_get(const struct cn_shape *shape, int i, bool moving, struct cn_part *part)
{
    CN_ASSERT(0 <= i && i < cn_part_count(shape));
    *part = (struct cn_part){.kind = CN_PART_CONVEX};
    if (shape->mesh != NULL) {
        get_triangle(shape->mesh, i, part);
        return true;
    }
    if (cn_convex_of(shape, &part->convex)) {
        return true;
    }
    if (shape->bulge != NULL) {
        return get_border_part(shape, i, moving, part);
    }
    part->kind = CN_PART_PLANE;
    if (shape->dimension == CN_PLANAR) {
        part->normal = (cn_vec3){shape->plane_normal.x, shape->plane_normal.y, 0.0};
        part->offset = shape->plane_offset;
    } else {
        part->normal = shape->core.face[0].normal;
        part->offset = shape->core.face[0].offset;
    }
    return true;
}

/*
 * Whether a point beyond the chord of an arc (or, of a hollow one, in front of it) is within its
 * disc.
 */
static bool
is_in_segment(const struct cn_border *border, cn_vec2 point, double side)
{
    if ((side < 0.0) != (border->bulge > 0.0)) {
        return false;
    }
    cn_vec2 away = cn_vec2_sub(point, cn_border_center(border));
    return cn_vec2_length(away) < cn_border_radius(border);
}

bool
cn_part_holds(const struct cn_shape *shape, cn_vec2 point)
{
    if (shape->kind != CN_SHAPE_OUTLINE) {
        return false;
    }
    int turns = 0;
    for (int i = 0; i < shape->vertex_count; i++) {
        struct cn_border e = {shape->vertex[i], shape->vertex[next_vertex(shape, i)],
            shape->bulge[i]};
        double side = cn_vec2_cross(cn_vec2_sub(e.to, e.from), cn_vec2_sub(point, e.from));
        bool between = cn_vec2_dot(cn_vec2_sub(point, e.from), cn_vec2_sub(point, e.to)) <= 0.0;
        if (e.bulge == 0.0 && side == 0.0 && between) {
            return false;
        }
        turns += e.from.y <= point.y && e.to.y > point.y && side > 0.0;
        turns -= e.to.y <= point.y && e.from.y > point.y && side < 0.0;
        if (e.bulge != 0.0 && is_in_segment(&e, point, side)) {
            turns += e.bulge > 0.0 ? 1 : -1;
        }
    }
    return turns > 0;
}

bool
cn_part_faces(const struct cn_part *hollow, cn_vec2 direction)
{
    CN_ASSERT(hollow->kind == CN_PART_HOLLOW);
    struct cn_border border = {hollow->ends[0], hollow->ends[1], hollow->bulge};
    return cn_border_faces(&border, hollow->center, direction, SECTOR_SLACK);
}

static double
point_distance(const struct cn_part *hollow, cn_vec2 p)
{
    cn_vec2 away = cn_vec2_sub(p, hollow->center);
    if (cn_part_faces(hollow, away)) {
        return fabs(cn_vec2_length(away) - hollow->radius);
    }
    return cn_min(cn_vec2_length(cn_vec2_sub(p, hollow->ends[0])),
        cn_vec2_length(cn_vec2_sub(p, hollow->ends[1])));
}

static double
point_segment(cn_vec2 p, cn_vec2 a, cn_vec2 b)
{
    cn_vec2 along = cn_vec2_sub(b, a), away = cn_vec2_sub(p, a);
    double square = cn_vec2_dot(along, along);
    double t = square > 0.0 ? cn_clamp(cn_vec2_dot(away, along) / square, 0.0, 1.0) : 0.0;
    return cn_vec2_length(cn_vec2_add_scaled(away, -t, along));
}

/* Where the line through a and b meets the circle, or is nearest to its centre. */
static double
segment_distance(const struct cn_part *hollow, cn_vec2 a, cn_vec2 b)
{
    double best = cn_min(point_distance(hollow, a), point_distance(hollow, b));
    best = cn_min(best, point_segment(hollow->ends[0], a, b));
    best = cn_min(best, point_segment(hollow->ends[1], a, b));
    cn_vec2 along = cn_vec2_sub(b, a), away = cn_vec2_sub(a, hollow->center);
    double square = cn_vec2_dot(along, along);
    if (square == 0.0) {
        return best;
    }
    double middle = -cn_vec2_dot(away, along) / square;
    cn_vec2 foot = cn_vec2_add_scaled(away, middle, along);
    double half = hollow->radius * hollow->radius - cn_vec2_dot(foot, foot);
    double span = half > 0.0 ? sqrt(half / square) : 0.0;
    for (int way = -1; way <= 1; way += 2) {
        double t = middle + way * span;
        if (0.0 <= t && t <= 1.0) {
            best = cn_min(best, point_distance(hollow, cn_vec2_add_scaled(a, t, along)));
        }
    }
    return best;
}

double
cn_part_hollow_distance(
    const struct cn_part *hollow, const struct cn_convex *convex, const cn_pose *convex_pose)
{
    double best = HUGE_VAL;
    int n = convex->vertex_count;
    for (int i = 0; i < n; i++) {
        cn_vec3 p = cn_pose_apply(convex_pose, cn_convex_vertex(convex, i));
        cn_vec3 q = cn_pose_apply(convex_pose, cn_convex_vertex(convex, i + 1 < n ? i + 1 : 0));
        best = cn_min(
            best, segment_distance(hollow, (cn_vec2){p.x, p.y}, (cn_vec2){q.x, q.y}));
    }
    return best;
}
