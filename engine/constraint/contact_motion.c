#include "engine/constraint/contact_motion.h"

#include "engine/base/assert.h"

/*
 * [m] Two core points nearer than this have no direction between them; lines of a smaller sine do
 * not cross.
 */
#define DISTANCE_MIN 1e-12

void
cn_contact_arms(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, cn_vec3 *arm_a, cn_vec3 *arm_b)
{
    CN_ASSERT(contact->body_a >= 0 && contact->body_b >= 0);
    CN_ASSERT(contact->body_a != contact->body_b);
    int a = contact->body_a, b = contact->body_b;
    if (contact->kind >= CN_CONTACT_EDGES) {
        cn_contact_feet(contact, &pose[a], &pose[b], arm_a, arm_b);
        return;
    }
    cn_vec3 point_a, point_b;
    if (contact->kind == CN_CONTACT_FACE_A) {
        point_a = point_b = cn_pose_apply(&pose[b], contact->anchor_b);
    } else {
        point_a = cn_pose_apply(&pose[a], contact->anchor_a);
        point_b = contact->kind == CN_CONTACT_FACE_B
                      ? point_a
                      : cn_pose_apply(&pose[b], contact->anchor_b);
    }
    *arm_a = cn_vec3_sub(point_a, motion[a].position);
    *arm_b = cn_vec3_sub(point_b, motion[b].position);
}

/* The quantities that both rates need. */
struct rates {
    const struct cn_motion *a, *b;
    cn_vec3 arm_a, arm_b;
    cn_vec3 relative;       /* v */
    double distance;        /* G */
    cn_vec3 edge_a, edge_b; /* world */
    cn_vec3 edge_rate_a, edge_rate_b;
};

static struct rates
make_rates(const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact)
{
    struct rates r = {.a = &motion[contact->body_a], .b = &motion[contact->body_b]};
    cn_contact_arms(motion, pose, contact, &r.arm_a, &r.arm_b);
    r.relative =
        cn_vec3_sub(cn_motion_velocity_at(r.b, r.arm_b), cn_motion_velocity_at(r.a, r.arm_a));
    r.distance = contact->gap + contact->radius;
    if (contact->kind == CN_CONTACT_HOLLOW) {
        r.distance = r.distance > -DISTANCE_MIN ? -DISTANCE_MIN : r.distance;
    } else if (contact->kind != CN_CONTACT_EDGES && r.distance < DISTANCE_MIN) {
        r.distance = DISTANCE_MIN; /* a length; for EDGES a coordinate, negative in an overlap */
    }
    if (contact->kind >= CN_CONTACT_EDGES) {
        r.edge_a = cn_pose_turn(&pose[contact->body_a], contact->edge_a);
        r.edge_b = cn_pose_turn(&pose[contact->body_b], contact->edge_b);
        r.edge_rate_a = cn_vec3_cross(r.a->angular_velocity, r.edge_a);
        r.edge_rate_b = cn_vec3_cross(r.b->angular_velocity, r.edge_b);
    }
    return r;
}

/* v without its component along the unit vector n. */
static cn_vec3
part_across(cn_vec3 v, cn_vec3 n)
{
    return cn_vec3_add_scaled(v, -cn_vec3_dot(v, n), n);
}

static double
sine_square_of(cn_vec3 edge_a, cn_vec3 edge_b)
{
    cn_vec3 product = cn_vec3_cross(edge_a, edge_b);
    double square = cn_vec3_dot(product, product);
    return square > DISTANCE_MIN * DISTANCE_MIN ? square : DISTANCE_MIN * DISTANCE_MIN;
}

static cn_vec3
normal_rate(const struct rates *r, const struct cn_contact *contact)
{
    cn_vec3 n = contact->normal;
    switch (contact->kind) {
    case CN_CONTACT_FACE_A:
        return cn_vec3_cross(r->a->angular_velocity, n);
    case CN_CONTACT_FACE_B:
        return cn_vec3_cross(r->b->angular_velocity, n);
    case CN_CONTACT_EDGES: {
        cn_vec3 turning = cn_vec3_add(
            cn_vec3_cross(r->edge_rate_a, r->edge_b), cn_vec3_cross(r->edge_a, r->edge_rate_b));
        double sine = sqrt(sine_square_of(r->edge_a, r->edge_b));
        return cn_vec3_scale(part_across(turning, n), 1.0 / sine);
    }
    case CN_CONTACT_POINTS:
    case CN_CONTACT_HOLLOW:
        return cn_vec3_scale(part_across(r->relative, n), 1.0 / r->distance);
    case CN_CONTACT_LINE_A:
    case CN_CONTACT_LINE_B:
        break;
    }
    bool of_a = contact->kind == CN_CONTACT_LINE_A;
    cn_vec3 edge = of_a ? r->edge_a : r->edge_b, turning = of_a ? r->edge_rate_a : r->edge_rate_b;
    double along = cn_vec3_dot(r->relative, edge) + r->distance * cn_vec3_dot(n, turning);
    cn_vec3 sideways = cn_vec3_add_scaled(r->relative, -along, edge);
    return cn_vec3_scale(part_across(sideways, n), 1.0 / r->distance);
}

cn_vec3
cn_contact_normal_rate(
    const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact)
{
    struct rates r = make_rates(motion, pose, contact);
    return normal_rate(&r, contact);
}

/* How fast A's foot moves along A's line, relative to the material. */
static double
foot_rate(const struct rates *r, const struct cn_contact *contact, cn_vec3 turning)
{
    cn_vec3 n = contact->normal;
    if (contact->kind == CN_CONTACT_LINE_A) {
        return cn_vec3_dot(r->relative, r->edge_a) + r->distance * cn_vec3_dot(n, r->edge_rate_a);
    }
    if (contact->kind != CN_CONTACT_EDGES) {
        return 0.0;
    }
    /* v + t' eB - s' eA = (G n)':  the product with eB gives s'. */
    cn_vec3 slide = cn_vec3_add_scaled(part_across(r->relative, n), -r->distance, turning);
    cn_vec3 product = cn_vec3_cross(r->edge_a, r->edge_b);
    return cn_vec3_dot(cn_vec3_cross(slide, r->edge_b), product) /
           sine_square_of(r->edge_a, r->edge_b);
}

cn_vec3
cn_contact_point_velocity(
    const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact)
{
    struct rates r = make_rates(motion, pose, contact);
    cn_vec3 n = contact->normal, turning = normal_rate(&r, contact);
    double opening = cn_vec3_dot(n, r.relative);
    if (contact->kind == CN_CONTACT_FACE_A) {
        double below = contact->radius - contact->radius_a + 0.5 * contact->gap;
        cn_vec3 v = cn_vec3_add_scaled(cn_motion_velocity_at(r.b, r.arm_b), -below, turning);
        return cn_vec3_add_scaled(v, -0.5 * opening, n);
    }
    cn_vec3 v = cn_motion_velocity_at(r.a, r.arm_a);
    if (contact->kind == CN_CONTACT_EDGES || contact->kind == CN_CONTACT_LINE_A) {
        v = cn_vec3_add_scaled(v, foot_rate(&r, contact, turning), r.edge_a);
    }
    v = cn_vec3_add_scaled(v, contact->radius_a + 0.5 * contact->gap, turning);
    return cn_vec3_add_scaled(v, 0.5 * opening, n);
}
