#include "prove/arrangement.h"

#include "engine/base/assert.h"

void
pv_body_init(struct pv_body *body)
{
    mpq_inits(body->mass, body->inertia, NULL);
    for (int k = 0; k < 9; k++) {
        mpq_inits(body->tensor[k], body->tensor_inverse[k], NULL);
    }
    pv_vec_init(&body->center);
    pv_vec_init(&body->force);
    pv_vec_init(&body->moment);
}

static void
body_clear(struct pv_body *body)
{
    mpq_clears(body->mass, body->inertia, NULL);
    for (int k = 0; k < 9; k++) {
        mpq_clears(body->tensor[k], body->tensor_inverse[k], NULL);
    }
    pv_vec_clear(&body->center);
    pv_vec_clear(&body->force);
    pv_vec_clear(&body->moment);
}

static void
shape_clear(struct pv_shape *shape)
{
    size_t room = shape->vertex_count > 0 ? (size_t)shape->vertex_count : 1;
    for (size_t i = 0; i < room; i++) {
        pv_vec_clear(&shape->vertex[i]);
        pv_vec_clear(&shape->normal[i]);
    }
    pv_vec_clear(&shape->center);
    pv_solid_finish(&shape->solid);
    pv_free(shape->vertex);
    pv_free(shape->normal);
    pv_numbers_free(shape->length, room);
    mpq_clears(shape->radius, shape->offset, shape->extent, NULL);
}

static void
contact_clear(struct pv_contact *contact)
{
    pv_vec_clear(&contact->point);
    pv_vec_clear(&contact->normal);
    mpq_clear(contact->friction);
}

void
pv_arrangement_finish(struct pv_arrangement *arrangement)
{
    CN_ASSERT(arrangement->contact_count <= arrangement->contact_room);
    for (int i = 0; i < arrangement->body_count; i++) {
        body_clear(&arrangement->body[i]);
    }
    for (int i = 0; i < arrangement->shape_count; i++) {
        shape_clear(&arrangement->shape[i]);
    }
    for (int i = 0; i < arrangement->contact_count; i++) {
        contact_clear(&arrangement->contact[i]);
    }
    pv_free(arrangement->body);
    pv_free(arrangement->shape);
    pv_free(arrangement->contact);
    pv_vec_clear(&arrangement->gravity);
    mpq_clear(arrangement->weight);
    *arrangement = (struct pv_arrangement){0};
}

bool
pv_has_friction(const struct pv_arrangement *arrangement)
{
    for (int i = 0; i < arrangement->contact_count; i++) {
        if (mpq_sgn(arrangement->contact[i].friction) > 0) {
            return true;
        }
    }
    return false;
}

int
pv_dof(const struct pv_arrangement *arrangement)
{
    CN_ASSERT(arrangement->dimension == 2 || arrangement->dimension == 3);
    return arrangement->dimension == 3 ? 6 : 3;
}

void
pv_wrench(const struct pv_arrangement *arrangement, mpq_t *wrench, const pv_vec *force,
    const pv_vec *at)
{
    pv_vec moment;
    pv_vec_init(&moment);
    pv_cross(&moment, at, force);
    int d = arrangement->dimension;
    for (int k = 0; k < d; k++) {
        mpq_set(wrench[k], force->c[k]);
    }
    for (int k = 0; k < 3 && d == 3; k++) {
        mpq_set(wrench[3 + k], moment.c[k]);
    }
    if (d == 2) {
        mpq_set(wrench[2], moment.c[2]);
    }
    pv_vec_clear(&moment);
}
