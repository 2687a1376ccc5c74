#include "engine/step/pipeline/pipeline_moving.h"

#include "engine/base/assert.h"

static cn_vec3
vec3_of(float x, float y, float z)
{
    return (cn_vec3){(double)x, (double)y, (double)z};
}

static struct cn_pipeline_moving
moving2(const struct cn_pipeline_tick *t, int32_t index)
{
    const struct cn_impulse_body2 *body = (const struct cn_impulse_body2 *)t->body + index;
    const struct cn_impulse_mass2 *mass = (const struct cn_impulse_mass2 *)t->mass + index;
    return (struct cn_pipeline_moving){
        .v = vec3_of(body->vx, body->vy, 0.0F),
        .w = vec3_of(0.0F, 0.0F, body->w),
        .moved = vec3_of(body->dx, body->dy, 0.0F),
        .turn = {vec3_of(body->cosine, body->sine, 0.0F),
            vec3_of(-body->sine, body->cosine, 0.0F), {0.0, 0.0, 1.0}},
        .mass_inverse = vec3_of(mass->inverse_mass, mass->inverse_mass, 0.0F),
        .inertia_inverse = {.cz = vec3_of(0.0F, 0.0F, mass->inverse_inertia)},
    };
}

static struct cn_pipeline_moving
moving3(const struct cn_pipeline_tick *t, int32_t index)
{
    const struct cn_impulse_body3 *body = (const struct cn_impulse_body3 *)t->body + index;
    const struct cn_impulse_mass3 *mass = (const struct cn_impulse_mass3 *)t->mass + index;
    const float *i = mass->inverse_inertia; /* xx yy zz xy yz zx */
    const cn_quat q = {
        (double)body->q[3], (double)body->q[0], (double)body->q[1], (double)body->q[2]};
    return (struct cn_pipeline_moving){
        .v = vec3_of(body->v[0], body->v[1], body->v[2]),
        .w = vec3_of(body->w[0], body->w[1], body->w[2]),
        .moved = vec3_of(body->d[0], body->d[1], body->d[2]),
        .turn = cn_quat_to_mat33(q),
        .mass_inverse = vec3_of(mass->inverse_mass, mass->inverse_mass, mass->inverse_mass),
        .inertia_inverse = {vec3_of(i[0], i[3], i[5]), vec3_of(i[3], i[1], i[4]),
            vec3_of(i[5], i[4], i[2])},
    };
}

/* Locked axes take no impulse. */
static void
lock(struct cn_pipeline_moving *moving, uint32_t locks)
{
    cn_vec3 *m = &moving->mass_inverse;
    cn_mat33 *i = &moving->inertia_inverse;
    m->x = locks & CN_LOCK_LINEAR_X ? 0.0 : m->x;
    m->y = locks & CN_LOCK_LINEAR_Y ? 0.0 : m->y;
    m->z = locks & CN_LOCK_LINEAR_Z ? 0.0 : m->z;
    if (locks & CN_LOCK_ANGULAR_X) {
        i->cx = (cn_vec3){0.0, 0.0, 0.0};
        i->cy.x = i->cz.x = 0.0;
    }
    if (locks & CN_LOCK_ANGULAR_Y) {
        i->cy = (cn_vec3){0.0, 0.0, 0.0};
        i->cx.y = i->cz.y = 0.0;
    }
    if (locks & CN_LOCK_ANGULAR_Z) {
        i->cz = (cn_vec3){0.0, 0.0, 0.0};
        i->cx.z = i->cy.z = 0.0;
    }
}

struct cn_pipeline_moving
cn_pipeline_moving_at(const struct cn_pipeline_tick *t, int32_t name)
{
    if (name == CN_IMPULSE_FIXED) {
        return (struct cn_pipeline_moving){.turn = cn_mat33_diagonal(1.0, 1.0, 1.0)};
    }
    bool planar = t->p->model->settings.dimension == CN_PLANAR;
    int32_t index = cn_impulse_index(name);
    CN_ASSERT(index >= 0 && index < t->p->awake_count);
    struct cn_pipeline_moving moving = planar ? moving2(t, index) : moving3(t, index);
    uint32_t locks = planar ? ((const struct cn_impulse_drive2 *)t->drive)[index].locks
                            : ((const struct cn_impulse_drive3 *)t->drive)[index].locks;
    if (locks != 0) {
        lock(&moving, locks);
    }
    return moving;
}

struct cn_pipeline_push
cn_pipeline_push_of(const struct cn_pipeline_moving *moving, cn_vec3 arm, cn_vec3 u)
{
    const cn_vec3 *m = &moving->mass_inverse;
    return (struct cn_pipeline_push){{m->x * u.x, m->y * u.y, m->z * u.z},
        cn_mat33_apply(&moving->inertia_inverse, cn_vec3_cross(arm, u))};
}

/* Moves a float.  No velocity becomes -0. */
static void
move(float *value, double by)
{
    *value = (float)((double)*value + by) + 0.0F;
}

void
cn_pipeline_give(struct cn_pipeline_tick *t, int32_t name, const struct cn_pipeline_push *push,
    double impulse)
{
    if (name < 0) {
        return;
    }
    CN_ASSERT(name < t->p->awake_count);
    cn_vec3 v = cn_vec3_scale(push->linear, impulse), w = cn_vec3_scale(push->angular, impulse);
    if (t->p->model->settings.dimension == CN_PLANAR) {
        struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)t->body + name;
        struct cn_impulse_carry2 *carry = (struct cn_impulse_carry2 *)t->carry + name;
        move(&body->vx, v.x);
        move(&body->vy, v.y);
        move(&body->w, w.z);
        move(&carry->vx, v.x);
        move(&carry->vy, v.y);
        move(&carry->w, w.z);
        return;
    }
    struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)t->body + name;
    struct cn_impulse_carry3 *carry = (struct cn_impulse_carry3 *)t->carry + name;
    const double linear[3] = {v.x, v.y, v.z}, angular[3] = {w.x, w.y, w.z};
    for (int k = 0; k < 3; k++) {
        move(&body->v[k], linear[k]);
        move(&body->w[k], angular[k]);
        move(&carry->v[k], linear[k]);
        move(&carry->w[k], angular[k]);
    }
}
