/*
 * oracle_ode.c: the wall as boxes in the Open Dynamics Engine, and one dWorldStep.
 *
 * The contacts are the wall's own, frictionless, of depth 0, and the bodies at rest: then the
 * velocity problem that the step solves, divided by its length, is the wall's problem, and the
 * forces that ODE hands back are answers to it.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "tests/bench/oracle.h"

#include <ode/ode.h>

#define STEP_S (1.0 / 60.0)

struct state {
    dWorldID world;
    dJointGroupID contacts;
    dBodyID body[WALL_BODIES_MAX];
    dJointFeedback feedback[WALL_ROWS_MAX];
};

/* It complains of contacts that depend on each other. */
static void
say_nothing(int number, const char *message, va_list arguments)
{
    (void)number;
    (void)message;
    (void)arguments;
}

static void
place(const struct state *state, const struct brick_wall *wall)
{
    for (int k = 0; k < wall->problem.body_count; k++) {
        const dQuaternion level = {1.0, 0.0, 0.0, 0.0};
        dBodySetPosition(state->body[k], wall->centre_x[k], wall->centre_y[k], 0.0);
        dBodySetQuaternion(state->body[k], level);
        dBodySetLinearVel(state->body[k], 0.0, 0.0, 0.0);
        dBodySetAngularVel(state->body[k], 0.0, 0.0, 0.0);
    }
}

static void *
begin(const struct brick_wall *wall)
{
    struct state *state = malloc(sizeof(*state));
    if (state == NULL) {
        abort();
    }
    dInitODE2(0);
    dSetMessageHandler(say_nothing);
    state->world = dWorldCreate();
    state->contacts = dJointGroupCreate(0);
    dWorldSetGravity(state->world, 0.0, -BRICK_GRAVITY, 0.0);
    for (int k = 0; k < wall->problem.body_count; k++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1.0, 1.0, BRICK_HEIGHT, 1.0);
        state->body[k] = dBodyCreate(state->world);
        dBodySetMass(state->body[k], &mass);
    }
    place(state, wall);
    for (int i = 0; i < wall->problem.row_count; i++) {
        const struct cn_row *row = &wall->rows[i];
        dContact contact = {.geom = {.normal = {0.0, 1.0, 0.0}}}; /* into the upper brick */
        contact.geom.pos[0] = wall->centre_x[row->body_b] + row->angular_b.z;
        contact.geom.pos[1] = wall->centre_y[row->body_b] - 0.5 * BRICK_HEIGHT;
        dJointID joint = dJointCreateContact(state->world, state->contacts, &contact);
        dJointAttach(joint, state->body[row->body_b],
            row->body_a < 0 ? NULL : state->body[row->body_a]);
        dJointSetFeedback(joint, &state->feedback[i]);
    }
    return state;
}

static double
solve(void *context, const struct brick_wall *wall, const struct wall_load *load, double *f)
{
    struct state *state = context;
    place(state, wall);
    for (int k = 0; k < wall->problem.body_count; k++) {
        dBodyAddForceAtRelPos(
            state->body[k], 0.0, -load->load[k], 0.0, load->offset[k], 0.0, 0.0);
    }
    double start_s = wall_now_s();
    dWorldStep(state->world, STEP_S);
    double spent_s = wall_now_s() - start_s;
    for (int i = 0; i < wall->problem.row_count; i++) {
        f[i] = state->feedback[i].f1[1];
    }
    return spent_s;
}

static void
end(void *context)
{
    struct state *state = context;
    dJointGroupDestroy(state->contacts);
    dWorldDestroy(state->world);
    dCloseODE();
    free(state);
}

const struct oracle oracle_ode = {
    .name = "ODE dWorldStep",
    .begin = begin,
    .solve = solve,
    .end = end,
};
