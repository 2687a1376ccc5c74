/*
 * bench_depth.c: how deep bodies with meshes are in each other and in what stands still, which of
 * them rest, and which are gone.
 *
 * Depths are found by every triangle: of its corners, the middles of its edges and its middle, that
 * which is deepest, by the true distance.  Bodies whose boxes are apart are left out.  Meshes stand
 * unturned in the origin of their body's frame; boxes and planes do not turn.
 */
#include "clients/bench/bench.h"

#include "engine/base/assert.h"

#include <math.h>

#define DEPTH_EVERY 10   /* ticks; in the last second every one */
#define CALM 0.5         /* m/s and rad/s: what is slower for CALM_TICKS rests */
#define CALM_TICKS 30
#define END 60           /* ticks */
#define LOST 200.0       /* m from the middle */
#define STACK 128        /* nodes of a tree that wait */

struct watched {
    const struct cn_mesh *mesh; /* NULL: it has none */
    bool moves;
    struct cn_body_view view;
    cn_mat33 turn;
    cn_vec3 low, high; /* of the box around the mesh, in the world [m] */
};

static const struct cn_mesh *
mesh_of(const struct cn_body_def *body)
{
    for (int i = 0; i < body->shape_count; i++) {
        if (body->shapes[i].kind == CN_SHAPE_MESH) {
            return body->shapes[i].mesh.mesh;
        }
    }
    return NULL;
}

static double
spread_of(cn_vec3 row, cn_vec3 half)
{
    return fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z;
}

static void
look_at_body(
    struct watched *body, const struct cn_world *world, const struct bench_build *build, int i)
{
    cn_world_body_view(world, i, &body->view);
    body->mesh = mesh_of(&build->def.bodies[i]);
    body->moves = build->def.bodies[i].type == CN_DYNAMIC;
    body->turn = cn_quat_to_mat33(body->view.orientation);
    if (body->mesh == NULL) {
        return;
    }
    cn_aabb box = body->mesh->bounds;
    cn_vec3 half = cn_vec3_scale(cn_vec3_sub(box.high, box.low), 0.5);
    cn_vec3 middle = cn_vec3_add(body->view.position,
        cn_mat33_apply(&body->turn, cn_vec3_scale(cn_vec3_add(box.high, box.low), 0.5)));
    cn_mat33 rows = cn_quat_to_mat33(cn_quat_conjugate(body->view.orientation));
    cn_vec3 reach = cn_vec3_make(
        spread_of(rows.cx, half), spread_of(rows.cy, half), spread_of(rows.cz, half));
    body->low = cn_vec3_sub(middle, reach);
    body->high = cn_vec3_add(middle, reach);
}

static bool
are_near(const struct watched *a, const struct watched *b)
{
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y &&
           b->low.y < a->high.y && a->low.z < b->high.z && b->low.z < a->high.z;
}

/* Whether a triangle is outside of a mesh, by the field at its first corner. */
static bool
is_far(const cn_vec3 corner[3], const struct cn_mesh *in)
{
    double reach = fmax(cn_vec3_length(cn_vec3_sub(corner[1], corner[0])),
        cn_vec3_length(cn_vec3_sub(corner[2], corner[0])));
    return cn_field_bound(&in->field, corner[0]) > reach;
}

#define POINTS 7
static const double weights[POINTS][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0},
    {0, 0.5, 0.5}, {0.5, 0, 0.5}, {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}};

static cn_vec3
point_of(const cn_vec3 corner[3], int k)
{
    cn_vec3 p = cn_vec3_scale(corner[0], weights[k][0]);
    p = cn_vec3_add_scaled(p, weights[k][1], corner[1]);
    return cn_vec3_add_scaled(p, weights[k][2], corner[2]);
}

/* The corners of a triangle, turned and moved. */
static void
corners_of(const struct cn_mesh *mesh, int i, const cn_mat33 *turn, cn_vec3 away, cn_vec3 corner[3])
{
    for (int k = 0; k < 3; k++) {
        corner[k] =
            cn_vec3_add(cn_mat33_apply(turn, mesh->vertex[mesh->triangle[i][k]]), away);
    }
}

/* Whether all of a node is outside of a mesh, by the field at its middle. */
static bool
is_node_far(const struct cn_mesh_node *node, const cn_mat33 *turn, cn_vec3 away,
    const struct cn_mesh *in)
{
    cn_vec3 low = {(double)node->low[0], (double)node->low[1], (double)node->low[2]};
    cn_vec3 high = {(double)node->high[0], (double)node->high[1], (double)node->high[2]};
    cn_vec3 middle = cn_vec3_scale(cn_vec3_add(low, high), 0.5);
    return cn_field_bound(&in->field, cn_vec3_add(cn_mat33_apply(turn, middle), away)) >
           0.5 * cn_vec3_length(cn_vec3_sub(high, low));
}

static double
depth_of_triangle(const cn_vec3 corner[3], const struct cn_mesh *in, double deepest)
{
    int points = is_far(corner, in) ? 0 : POINTS;
    for (int k = 0; k < points; k++) {
        cn_vec3 p = point_of(corner, k);
        if (cn_field_is_inside(&in->field, p) && cn_field_distance(&in->field, p) < -deepest) {
            deepest = fmax(deepest, -cn_mesh_distance(in, p));
        }
    }
    return deepest;
}

/* How deep points of one mesh are in another [m]: along the tree of the first. */
static double
depth_of(const struct watched *of, const struct watched *in)
{
    const struct cn_mesh *mesh = of->mesh;
    cn_quat back = cn_quat_conjugate(in->view.orientation);
    cn_mat33 back_turn = cn_quat_to_mat33(back);
    cn_mat33 turn = cn_mat33_multiply(&back_turn, &of->turn);
    cn_vec3 away =
        cn_mat33_apply(&back_turn, cn_vec3_sub(of->view.position, in->view.position));
    double deepest = 0.0;
    int left[STACK], count = 0;
    left[count++] = 0;
    while (count > 0) {
        int at = left[--count];
        const struct cn_mesh_node *node = &mesh->node[at];
        if (is_node_far(node, &turn, away, in->mesh)) {
            continue;
        }
        if (node->count == 0) {
            CN_ASSERT(count + 2 <= STACK);
            left[count++] = node->right;
            left[count++] = at + 1;
        }
        for (int i = 0; i < node->count; i++) {
            cn_vec3 corner[3];
            corners_of(mesh, mesh->tree_triangle[-1 - node->right + i], &turn, away, corner);
            deepest = depth_of_triangle(corner, in->mesh, deepest);
        }
    }
    return deepest;
}

/* How deep a point is in a box or in a plane's solid; other shapes are not looked at. */
static double
depth_in(const struct cn_shape_def *shape, cn_vec3 p)
{
    if (shape->kind == CN_SHAPE_PLANE) {
        return shape->plane.offset - cn_vec3_dot(shape->plane.normal, p);
    }
    if (shape->kind != CN_SHAPE_BOX) {
        return 0.0;
    }
    cn_vec3 at = cn_vec3_sub(p, shape->position);
    double x = 0.5 * shape->box.size.x - fabs(at.x), y = 0.5 * shape->box.size.y - fabs(at.y);
    return fmin(fmin(x, y), 0.5 * shape->box.size.z - fabs(at.z));
}

/* How deep a mesh is in a body's boxes and planes. */
static double
depth_in_fixed(const struct watched *of, const struct cn_body_def *body)
{
    double deepest = 0.0;
    cn_vec3 away = cn_vec3_sub(of->view.position, body->position);
    for (int i = 0; i < body->shape_count; i++) {
        for (int k = 0; k < of->mesh->vertex_count; k++) {
            cn_vec3 p = cn_vec3_add(cn_mat33_apply(&of->turn, of->mesh->vertex[k]), away);
            deepest = fmax(deepest, depth_in(&body->shapes[i], p));
        }
    }
    return deepest;
}

static void
note_depth(struct bench_depths *depths, double deep, bool at_end, bool rests)
{
    depths->any = fmax(depths->any, deep);
    depths->end = fmax(depths->end, at_end ? deep : 0.0);
    depths->settled = fmax(depths->settled, rests ? deep : 0.0);
}

/* One that moves against the rest; pairs of those that move are looked at once. */
static void
look_into(struct bench_depths *depths, const struct watched *body, int count, int i,
    const struct bench_build *build, bool at_end)
{
    bool rests = depths->calm[i] >= CALM_TICKS;
    for (int k = 0; k < count; k++) {
        double deep = 0.0;
        if (k == i || (body[k].moves && k < i)) {
            continue;
        }
        if (body[k].mesh == NULL) {
            deep = body[k].moves ? 0.0 : depth_in_fixed(&body[i], &build->def.bodies[k]);
        } else if (are_near(&body[i], &body[k])) {
            deep = fmax(depth_of(&body[i], &body[k]), depth_of(&body[k], &body[i]));
        }
        note_depth(depths, deep, at_end,
            rests && (!body[k].moves || depths->calm[k] >= CALM_TICKS));
    }
}

static void
watch_motion(struct bench_depths *depths, const struct watched *body, int i)
{
    const struct cn_body_view *view = &body->view;
    double speed = cn_vec3_length(view->velocity);
    cn_vec3 at = view->position;
    bool calm = speed < CALM && cn_vec3_length(view->angular_velocity) < CALM;
    depths->calm[i] = calm ? depths->calm[i] + 1 : 0;
    depths->resting += depths->calm[i] >= CALM_TICKS ? 1 : 0;
    depths->speed = fmax(depths->speed, speed);
    bool here = cn_vec3_is_finite(at) && at.y > -0.5 && fabs(at.x) < LOST && fabs(at.z) < LOST;
    depths->lost += here ? 0 : 1;
}

void
bench_depths_watch(struct bench_depths *depths, const struct cn_world *world,
    const struct bench_build *build, int step, int step_count)
{
    static struct watched body[BENCH_WATCHED_MAX];
    int count = build->def.body_count;
    CN_ASSERT(count <= BENCH_WATCHED_MAX);
    if (step == 0) {
        *depths = (struct bench_depths){0};
    }
    struct cn_world_counts counts = cn_world_count(world);
    depths->samples += counts.sample_count;
    depths->manifolds = counts.touching_count > depths->manifolds ? counts.touching_count
                                                                  : depths->manifolds;
    depths->resting = 0;
    depths->speed = 0.0;
    for (int i = 0; i < count; i++) {
        look_at_body(&body[i], world, build, i);
        if (body[i].moves) {
            watch_motion(depths, &body[i], i);
        }
    }
    bool at_end = step >= step_count - END;
    for (int i = 0; (at_end || step % DEPTH_EVERY == DEPTH_EVERY - 1) && i < count; i++) {
        if (body[i].moves && body[i].mesh != NULL) {
            look_into(depths, body, count, i, build, at_end);
        }
    }
}
