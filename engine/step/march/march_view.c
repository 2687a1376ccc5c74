/* march_view.c: shows the forces that the next tick would apply, as those of an instant. */
#include "engine/step/march/march.h"

#include "engine/base/assert.h"

/* The moment on B of the contact whose normal row is k [N m]. */
static cn_vec3
moment_of(const struct cn_march *m, int k)
{
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = k + 1; i < m->row_count && cn_row_follows((enum cn_row_tag)m->tag[i]); i++) {
        if (m->tag[i] != CN_ROW_TANGENT) {
            sum = cn_vec3_add_scaled(sum, m->f[i] / m->h, m->row[i].angular_b);
        }
    }
    return sum;
}

/* Keeps the contacts that touch or carry, with their forces. */
static void
show_contacts(struct cn_march *m)
{
    int shown = 0;
    for (int i = 0; i < m->contact_count; i++) {
        int k = m->contact_row[i];
        if (m->contact[i].gap > m->model->gap_tolerance && m->f[k] <= 0.0) {
            continue;
        }
        cn_vec3 friction = {0.0, 0.0, 0.0};
        for (int t = 0; t < cn_march_tangents_behind(m, k); t++) {
            friction = cn_vec3_add_scaled(
                friction, m->f[k + 1 + t] / m->h, m->tangent[2 * i + t]);
        }
        m->contact[shown] = m->contact[i];
        m->rate[shown] = m->rate[i];
        m->force[shown] = m->f[k] / m->h;
        m->friction_force[shown] = friction;
        if (m->moment != NULL) {
            m->moment[shown] = moment_of(m, k);
        }
        shown++;
    }
    m->contact_count = shown;
}

void
cn_march_instant(struct cn_march *m, struct cn_instant *instant)
{
    CN_ASSERT(m->looks && m->joint_count <= m->row_count);
    show_contacts(m);
    for (int k = 0; k < m->joint_count; k++) {
        m->joint_force[k] = (struct cn_joint_force){m->joint[k].id, m->f[k] / m->h};
    }
    for (int i = 0; i < m->model->body_count; i++) {
        cn_vec3 linear = cn_vec3_add(m->gain[i].linear, m->response[i].linear);
        cn_vec3 angular = cn_vec3_add(m->gain[i].angular, m->response[i].angular);
        m->acceleration[i].linear = cn_vec3_scale(linear, 1.0 / m->h);
        m->acceleration[i].angular = cn_vec3_scale(angular, 1.0 / m->h);
    }
    *instant = (struct cn_instant){
        .contact_count = m->contact_count,
        .contact = m->contact,
        .rate = m->rate,
        .force = m->force,
        .friction = m->friction_force,
        .moment = m->moment,
        .acceleration = m->acceleration,
        .joint_count = m->joint_count,
        .joint = m->joint_force,
        .note = m->note,
    };
}

enum cn_advance
cn_march_evaluate(
    struct cn_step_context *context, const struct cn_march_rule *rule, struct cn_instant *instant)
{
    struct cn_model *model = context->model;
    struct cn_march march, *m = &march;
    cn_march_init(m, context);
    m->looks = true;
    int event_count = model->event_count, event_dropped = model->event_dropped;
    bool found = cn_march_search(m, rule, &context->room_needed);
    model->event_count = event_count; /* contacts that the search left out were reported already */
    model->event_dropped = event_dropped;
    if (!found) {
        return CN_ADVANCE_ROOM;
    }
    cn_march_rows(m, rule);
    cn_march_impulses(m);
    cn_march_instant(m, instant);
    return CN_ADVANCE_TICK;
}
