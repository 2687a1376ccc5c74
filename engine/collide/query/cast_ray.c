/* cast_ray.c: rays against every kind of shape, in the frame of the shape. */
#include "engine/base/assert.h"
#include "engine/collide/query/cast.h"

#include "engine/math/scalar.h"

/* Sine by which arcs extend beyond their ends, so that no ray passes through where edges join. */
#define SECTOR_SLACK 1e-12

struct ray {
    cn_vec3 from, along;
    double max;
};

/* The hit found so far; none while fraction is above the ray's. */
struct found {
    double fraction;
    cn_vec3 normal;
};

static void
take_hit(struct found *found, double fraction, cn_vec3 normal)
{
    if (fraction < found->fraction) {
        *found = (struct found){fraction, normal};
    }
}

/* Records a hit that starts inside. */
static void
take_inside(struct found *found)
{
    *found = (struct found){0.0, {0.0, 0.0, 0.0}};
}

/*
 * Where |away + t along| falls to `radius`; both vectors are across the axis of a cylinder, or are
 * those of a ball.  False where it does not, or only from inside or along the surface.
 */
static bool
enter_round(cn_vec3 away, cn_vec3 along, double radius, double *fraction)
{
    double square = cn_vec3_dot(along, along), approach = -cn_vec3_dot(away, along);
    if (approach <= 0.0) {
        return false;
    }
    double middle = approach / square;
    cn_vec3 nearest = cn_vec3_add_scaled(away, middle, along);
    double half = radius * radius - cn_vec3_dot(nearest, nearest);
    if (half < 0.0) {
        return false;
    }
    *fraction = cn_max(0.0, middle - sqrt(half / square));
    return true;
}

static void
cast_ball(const struct ray *ray, cn_vec3 center, double radius, struct found *found)
{
    cn_vec3 away = cn_vec3_sub(ray->from, center);
    double t;
    if (enter_round(away, ray->along, radius, &t)) {
        cn_vec3 out = cn_vec3_add_scaled(away, t, ray->along);
        take_hit(found, t, cn_vec3_scale(out, 1.0 / radius));
    }
}

/* The side of a capsule: a cylinder between the planes through its ends. */
static void
cast_side(const struct ray *ray, cn_vec3 tail, cn_vec3 head, double radius, struct found *found)
{
    cn_vec3 axis = cn_vec3_sub(head, tail), away = cn_vec3_sub(ray->from, tail);
    double length = cn_vec3_length(axis);
    cn_vec3 unit = cn_vec3_scale(axis, 1.0 / length);
    double at = cn_vec3_dot(away, unit), rate = cn_vec3_dot(ray->along, unit), t;
    cn_vec3 across = cn_vec3_add_scaled(away, -at, unit);
    cn_vec3 along = cn_vec3_add_scaled(ray->along, -rate, unit);
    if (enter_round(across, along, radius, &t) && 0.0 <= at + t * rate && at + t * rate <= length) {
        cn_vec3 out = cn_vec3_add_scaled(across, t, along);
        take_hit(found, t, cn_vec3_scale(out, 1.0 / radius));
    }
}

static double
distance_to_axis(cn_vec3 p, cn_vec3 tail, cn_vec3 head)
{
    cn_vec3 axis = cn_vec3_sub(head, tail), away = cn_vec3_sub(p, tail);
    double square = cn_vec3_dot(axis, axis);
    double t = square > 0.0 ? cn_clamp(cn_vec3_dot(away, axis) / square, 0.0, 1.0) : 0.0;
    return cn_vec3_length(cn_vec3_add_scaled(away, -t, axis));
}

/* Casts against cores of one or two vertices. */
static void
cast_round(const struct ray *ray, const struct cn_convex *core, struct found *found)
{
    CN_ASSERT(core->vertex_count == 1 || core->vertex_count == 2);
    cn_vec3 tail = cn_convex_vertex(core, 0), head = cn_convex_vertex(core, core->vertex_count - 1);
    double radius = core->radius, distance = distance_to_axis(ray->from, tail, head);
    bool still = cn_vec3_dot(ray->along, ray->along) == 0.0;
    if (distance < radius || (still && distance == radius)) {
        take_inside(found);
        return;
    }
    if (still) {
        return;
    }
    cast_ball(ray, tail, radius, found);
    if (core->vertex_count == 2 && !(tail.x == head.x && tail.y == head.y && tail.z == head.z)) {
        cast_ball(ray, head, radius, found);
        cast_side(ray, tail, head, radius, found);
    }
}

/* The state of a ray that is clipped by one plane after the other. */
struct passage {
    double low, high;  /* the interval in which it is behind all planes so far */
    bool outside;      /* parallel to one plane, and in front of it */
    bool inside;       /* the start is behind all planes, */
    bool within;       /* or on some of them */
    bool entered;
    cn_vec3 normal;    /* of the last plane that it entered */
};

static void
pass_plane(struct passage *p, double above, double speed, cn_vec3 normal)
{
    p->inside = p->inside && above < 0.0;
    p->within = p->within && above <= 0.0;
    if (speed == 0.0) {
        p->outside = p->outside || above > 0.0;
    } else if (speed < 0.0) {
        double t = above / -speed;
        if (above >= 0.0 && (!p->entered || t > p->low)) {
            p->entered = true;
            p->low = t;
            p->normal = normal;
        }
    } else {
        p->high = cn_min(p->high, -above / speed);
    }
}

/*
 * Ends the clipping.  Where nothing lies between low and high the ray leaves or grazes the surface.
 */
static void
end_passage(const struct passage *p, bool still, struct found *found)
{
    if (p->inside || (still && p->within)) {
        take_inside(found);
    } else if (p->entered && !p->outside && p->low <= p->high && (p->low < p->high || p->low > 0)) {
        take_hit(found, p->low, p->normal);
    }
}

static struct passage
begin_passage(void)
{
    return (struct passage){.high = HUGE_VAL, .inside = true, .within = true};
}

static void
cast_polygon(const struct ray *ray, const struct cn_shape *shape, struct found *found)
{
    struct passage p = begin_passage();
    cn_vec2 from = {ray->from.x, ray->from.y}, along = {ray->along.x, ray->along.y};
    for (int i = 0; i < shape->vertex_count; i++) {
        cn_vec2 n = shape->normal[i];
        pass_plane(&p, cn_vec2_dot(n, cn_vec2_sub(from, shape->vertex[i])), cn_vec2_dot(n, along),
            (cn_vec3){n.x, n.y, 0.0});
    }
    end_passage(&p, along.x == 0.0 && along.y == 0.0, found);
}

static void
cast_faces(const struct ray *ray, const struct cn_face *face, int count, struct found *found)
{
    struct passage p = begin_passage();
    for (int i = 0; i < count; i++) {
        pass_plane(&p, cn_vec3_dot(face[i].normal, ray->from) - face[i].offset,
            cn_vec3_dot(face[i].normal, ray->along), face[i].normal);
    }
    end_passage(&p, cn_vec3_dot(ray->along, ray->along) == 0.0, found);
}

static void
cast_plane(const struct ray *ray, const struct cn_part *plane, struct found *found)
{
    struct cn_face face = {.normal = plane->normal, .offset = plane->offset};
    cast_faces(ray, &face, 1, found);
}

/*
 * A straight edge, hit from its right.  Which of two edges that share a corner is hit follows from
 * the side of the ray on which the corner lies; both edges compute it in the same way.
 */
static void
cast_straight(const struct ray *ray, const struct cn_border *e, struct found *found)
{
    cn_vec2 from = {ray->from.x, ray->from.y}, along = {ray->along.x, ray->along.y};
    double tail = cn_vec2_cross(along, cn_vec2_sub(e->from, from));
    double head = cn_vec2_cross(along, cn_vec2_sub(e->to, from));
    if (!(tail >= 0.0 && head <= 0.0 && tail > head)) {
        return;
    }
    cn_vec2 edge = cn_vec2_sub(e->to, e->from), out = cn_vec2_right(edge);
    double t = cn_vec2_dot(cn_vec2_sub(e->from, from), out) / cn_vec2_dot(along, out);
    if (t >= 0.0) {
        out = cn_vec2_scale(out, 1.0 / cn_vec2_length(out));
        take_hit(found, t, (cn_vec3){out.x, out.y, 0.0});
    }
}

/* An arc: the ray enters its disc where it bulges out, and leaves the disc where it is hollow. */
static void
cast_arc(const struct ray *ray, const struct cn_border *e, struct found *found)
{
    cn_vec2 center = cn_border_center(e), along = {ray->along.x, ray->along.y};
    cn_vec2 away = cn_vec2_sub((cn_vec2){ray->from.x, ray->from.y}, center);
    double radius = cn_border_radius(e), square = cn_vec2_dot(along, along);
    double middle = -cn_vec2_dot(away, along) / square;
    cn_vec2 nearest = cn_vec2_add_scaled(away, middle, along);
    double half = radius * radius - cn_vec2_dot(nearest, nearest);
    if (half < 0.0) {
        return;
    }
    double way = e->bulge > 0.0 ? 1.0 : -1.0, t = middle - way * sqrt(half / square);
    cn_vec2 out = cn_vec2_add_scaled(away, t, along);
    /* A ray that starts on the arc starts at 0, whatever the rounding error. */
    double slack = SECTOR_SLACK * radius / sqrt(square);
    if (t >= -slack && cn_border_faces(e, center, out, SECTOR_SLACK)) {
        out = cn_vec2_scale(out, way / cn_vec2_length(out));
        take_hit(found, cn_max(t, 0.0), (cn_vec3){out.x, out.y, 0.0});
    }
}

static void
cast_border(const struct ray *ray, const struct cn_shape *shape, struct found *found)
{
    if (cn_part_holds(shape, (cn_vec2){ray->from.x, ray->from.y})) {
        take_inside(found);
        return;
    }
    if (cn_vec3_dot(ray->along, ray->along) == 0.0) {
        struct cn_convex point = {.vertex_count = 1, .solid = &ray->from};
        cn_pose own = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
        if (cn_overlap(shape, &own, &point, &own)) {
            take_inside(found);
        }
        return;
    }
    int n = shape->vertex_count;
    for (int i = 0; i + shape->open < n; i++) {
        struct cn_border e = {
            shape->vertex[i], shape->vertex[i + 1 < n ? i + 1 : 0], shape->bulge[i]};
        if (e.bulge == 0.0) {
            cast_straight(ray, &e, found);
        } else {
            cast_arc(ray, &e, found);
        }
    }
}

static void
cast_mesh(const struct ray *ray, const struct cn_shape *shape, struct found *found)
{
    const struct cn_placed_mesh *placed = shape->mesh;
    cn_vec3 normal, along = cn_vec3_scale(ray->along, ray->max);
    double fraction;
    if (cn_part_mesh_holds(shape, ray->from)) {
        take_inside(found);
    } else if (cn_mesh_ray(placed->mesh, cn_pose_invert(&placed->pose, ray->from),
                   cn_pose_turn_back(&placed->pose, along), &fraction, &normal) >= 0) {
        take_hit(found, fraction * ray->max, cn_pose_turn(&placed->pose, normal));
    }
}

bool
cn_cast_ray(const struct cn_shape *shape, const cn_pose *pose, cn_vec3 from, cn_vec3 along,
    double fraction_max, struct cn_cast_hit *hit)
{
    struct ray ray = {cn_pose_invert(pose, from), cn_pose_turn_back(pose, along), fraction_max};
    struct found found = {.fraction = HUGE_VAL};
    struct cn_convex core;
    if (shape->mesh != NULL) {
        cast_mesh(&ray, shape, &found);
    } else if (shape->bulge != NULL) {
        cast_border(&ray, shape, &found);
    } else if (!cn_convex_of(shape, &core)) {
        struct cn_part plane;
        bool exists = cn_part_get(shape, 0, false, &plane);
        CN_ASSERT(exists && plane.kind == CN_PART_PLANE); /* no other shape is left */
        cast_plane(&ray, &plane, &found);
    } else if (core.vertex_count <= 2) {
        cast_round(&ray, &core, &found);
    } else if (shape->dimension == CN_PLANAR) {
        cast_polygon(&ray, shape, &found);
    } else {
        cast_faces(&ray, shape->core.face, shape->core.face_count, &found);
    }
    if (!(found.fraction <= fraction_max)) {
        return false;
    }
    bool inside = cn_vec3_dot(found.normal, found.normal) == 0.0;
    *hit = (struct cn_cast_hit){
        .fraction = found.fraction,
        .point = cn_vec3_add_scaled(from, found.fraction, along),
        .normal = cn_pose_turn(pose, found.normal),
        .is_inside = inside,
    };
    return true;
}
