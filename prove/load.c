/* load.c: the load of a body: its weight and its constant forces. */
#include "prove/bodies.h"

#include "engine/base/assert.h"

/* In the plane (`flat`) a force has no z, and a torque has only z. */
static void
read_vector(pv_vec *out, const cn_vec3 *v, bool flat, bool is_torque)
{
    pv_number(out->c[0], flat && is_torque ? 0.0 : v->x);
    pv_number(out->c[1], flat && is_torque ? 0.0 : v->y);
    pv_number(out->c[2], flat && !is_torque ? 0.0 : v->z);
}

/* sum += v */
static void
add_vector(pv_vec *sum, const pv_vec *v)
{
    for (int k = 0; k < 3; k++) {
        mpq_add(sum->c[k], sum->c[k], v->c[k]);
    }
}

/* Adds a constant force, moved to the centre of mass with its moment, to the body's load. */
static void
load_force(struct pv_arrangement *arrangement, struct pv_body *body,
    const struct cn_constant_force_def *of, const struct pv_place *place)
{
    CN_ASSERT(!body->is_fixed); /* a fixed body has no load */
    bool flat = arrangement->dimension == 2;
    mpq_t size;
    pv_vec force, at, moment;
    mpq_init(size);
    pv_vec_init(&force);
    pv_vec_init(&at);
    pv_vec_init(&moment);
    read_vector(&force, &of->force, flat, false);
    read_vector(&moment, &of->torque, flat, true);
    if (of->frame == CN_FRAME_BODY) {
        pv_place_turn(place, &force);
        pv_place_turn(place, &moment);
    }
    add_vector(&body->force, &force);
    add_vector(&body->moment, &moment);
    if (of->has_at) {
        read_vector(&at, &of->at, flat, false);
        pv_place_move(place, &at);
        pv_vec_sub(&at, &at, &body->center);
        pv_cross(&moment, &at, &force);
        add_vector(&body->moment, &moment);
    }
    pv_dot(size, &force, &force);
    pv_root(size, size);
    mpq_add(arrangement->weight, arrangement->weight, size);
    mpq_clear(size);
    pv_vec_clear(&force);
    pv_vec_clear(&at);
    pv_vec_clear(&moment);
}

void
pv_body_load(struct pv_arrangement *arrangement, const struct cn_world_def *def, int index,
    const struct pv_place *place)
{
    CN_ASSERT(0 <= index && index < arrangement->body_count);
    struct pv_body *body = &arrangement->body[index];
    CN_ASSERT(!body->is_fixed || mpq_sgn(body->mass) == 0); /* so its weight is 0 */
    mpq_t pulled, size;
    mpq_inits(pulled, size, NULL);
    pv_number(pulled, def->bodies[index].gravity_scale);
    mpq_mul(pulled, pulled, body->mass);
    pv_vec_add_scaled(&body->force, &body->force, pulled, &arrangement->gravity);
    pv_dot(size, &arrangement->gravity, &arrangement->gravity);
    pv_root(size, size);
    mpq_abs(pulled, pulled);
    pv_add_product(arrangement->weight, pulled, size);
    for (int i = 0; i < def->constant_force_count && !body->is_fixed; i++) {
        if (def->constant_forces[i].body == index) {
            load_force(arrangement, body, &def->constant_forces[i], place);
        }
    }
    mpq_clears(pulled, size, NULL);
}
