/*
 * pipeline_energy.h: the energies of islands in a tick, shared by the files that bound them.
 * pipeline_energy.c is the manual.
 */
#ifndef ENGINE_STEP_PIPELINE_PIPELINE_ENERGY_H
#define ENGINE_STEP_PIPELINE_PIPELINE_ENERGY_H

#include "engine/problem/contact_problem.h"
#include "engine/step/pipeline/pipeline_moving.h"

struct cn_pipeline_island {
    double before, after; /* kinetic energies [J] */
    double work;          /* of gravity in the tick [J] */
    double weight;        /* sum of m g [N] */
    double first, second; /* the energy at a part s of restitution: after + s first + s^2 second */
    double part;
    bool works;  /* something else does work on it */
    bool stands; /* a fixed body bears or holds it */
    bool gained; /* it is solved again */
    double mass;
    cn_vec3 center, velocity, spin; /* of its rigid motion; sums until these are known */
    cn_mat33 inertia;
};

static inline bool
cn_pipeline_is_planar(const struct cn_pipeline_tick *t)
{
    return t->p->model->settings.dimension == CN_PLANAR;
}

static inline const struct cn_body *
cn_pipeline_body_of(const struct cn_pipeline_tick *t, int k)
{
    return &t->p->model->body[t->p->awake[k]];
}

static inline int32_t
cn_pipeline_name_of(const struct cn_pipeline *p, int32_t body)
{
    return body < 0 ? CN_IMPULSE_FIXED : p->solver_body[body];
}

/* The island of a solver body, after cn_pipeline_gained has found islands. */
struct cn_pipeline_island *cn_pipeline_island_of(struct cn_pipeline_tick *t, int k);

/* The inertia in world axes of a body that has turned by `turn` since the start of the tick. */
cn_mat33 cn_pipeline_inertia_at(const struct cn_pipeline_tick *t, int k, const cn_mat33 *turn);

/* u . v in the norm of the body's mass. */
double cn_pipeline_product(const struct cn_body *body, const cn_mat33 *inertia, struct cn_twist u,
    struct cn_twist v);

/* Sums the energies of each island: before, after, work, weight. */
void cn_pipeline_add_energies(struct cn_pipeline_tick *t);

/* The energy that pushing out may give to an island [J], and whether it gained more. */
double cn_pipeline_pushed(
    const struct cn_pipeline_tick *t, const struct cn_pipeline_island *island);
bool cn_pipeline_gains(
    const struct cn_pipeline_tick *t, const struct cn_pipeline_island *island);

#endif
