/* view_pair.c: shows the contacts of one pair, with forces from its impulses. */
#include "engine/world/world_inside.h"

#include "engine/constraint/contact_rows.h"

static struct cn_contact_view
base_of(const struct cn_model *model, const struct cn_touch *pair)
{
    struct cn_contact_view contact = {
        .body_a = model->shape[pair->a].body,
        .body_b = model->shape[pair->b].body,
    };
    return contact;
}

/* The factor from impulses of the last substep to forces [1/s]. */
static double
rate_of(const struct cn_model *model)
{
    return model->settings.substeps / cn_model_tick_duration(model);
}

static uint64_t
id_of(const struct cn_touch *pair, uint32_t feature)
{
    struct cn_contact contact = {
        .shape_a = pair->a,
        .shape_b = pair->b,
        .feature = feature ^ (pair->flags >> CN_TOUCH_PIECES_SHIFT) << 8, /* uses 24 bits */
    };
    return cn_contact_id(&contact);
}

/* The velocity of B's material relative to A's at a point [m/s]. */
static cn_vec3
relative_velocity(const struct cn_model *model, int a, int b, cn_vec3 place)
{
    const struct cn_motion *of_a = &model->motion[a], *of_b = &model->motion[b];
    cn_vec3 va = cn_vec3_add(of_a->velocity,
        cn_vec3_cross(of_a->angular_velocity, cn_vec3_sub(place, of_a->position)));
    cn_vec3 vb = cn_vec3_add(of_b->velocity,
        cn_vec3_cross(of_b->angular_velocity, cn_vec3_sub(place, of_b->position)));
    return cn_vec3_sub(vb, va);
}

int
cn_view_show2(struct cn_contact_view *to, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_manifold2 *m)
{
    double rate = rate_of(model);
    for (int i = 0; i < m->point_count; i++) {
        const struct cn_point2 *point = &m->point[i];
        struct cn_contact_view contact = base_of(model, pair);
        const struct cn_motion *a = &model->motion[contact.body_a];
        contact.id = id_of(pair, point->feature);
        contact.point = (cn_vec3){a->position.x + (double)point->anchor_ax,
            a->position.y + (double)point->anchor_ay, 0.0};
        contact.normal = (cn_vec3){(double)m->normal_x, (double)m->normal_y, 0.0};
        contact.gap = (double)point->separation;
        contact.velocity = cn_vec3_dot(contact.normal,
            relative_velocity(model, contact.body_a, contact.body_b, contact.point));
        contact.force = (double)point->normal_impulse * rate;
        double across = (double)point->tangent_impulse * rate;
        contact.friction =
            (cn_vec3){across * contact.normal.y, -across * contact.normal.x, 0.0};
        to[i] = contact;
    }
    return m->point_count;
}

int
cn_view_show3(struct cn_contact_view *to, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_manifold3 *m)
{
    double rate = rate_of(model);
    float t1[3], t2[3];
    cn_tangents3(m->normal, t1, t2);
    double share = rate / m->point_count;
    double f1 = (double)m->tangent_impulse[0] * share, f2 = (double)m->tangent_impulse[1] * share;
    for (int i = 0; i < m->point_count; i++) {
        const struct cn_point3 *point = &m->point[i];
        struct cn_contact_view contact = base_of(model, pair);
        const struct cn_motion *a = &model->motion[contact.body_a];
        contact.id = id_of(pair, point->feature);
        contact.point = (cn_vec3){a->position.x + (double)point->anchor_a[0],
            a->position.y + (double)point->anchor_a[1],
            a->position.z + (double)point->anchor_a[2]};
        contact.normal = (cn_vec3){
            (double)m->normal[0], (double)m->normal[1], (double)m->normal[2]};
        contact.gap = (double)point->separation;
        contact.velocity = cn_vec3_dot(contact.normal,
            relative_velocity(model, contact.body_a, contact.body_b, contact.point));
        contact.force = (double)point->normal_impulse * rate;
        contact.friction = (cn_vec3){f1 * (double)t1[0] + f2 * (double)t2[0],
            f1 * (double)t1[1] + f2 * (double)t2[1], f1 * (double)t1[2] + f2 * (double)t2[2]};
        to[i] = contact;
    }
    return m->point_count;
}
