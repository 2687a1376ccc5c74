/* march_scratch.c: lays out the scratch of a piece. */
#include "engine/step/march/march.h"

#include "engine/base/assert.h"

static bool
has_moments(const struct cn_model *model, const struct cn_solver *solver)
{
    return solver->rolling && cn_model_has_moments(model);
}

/* Rows of one contact at most. */
static int
rows_per_contact(const struct cn_model *model, const struct cn_solver *solver)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    bool rubs = solver->friction && cn_model_has_friction(model);
    bool rolls = has_moments(model, solver);
    return 1 + (rubs ? planar ? 1 : 2 : 0) + (rolls ? planar ? 1 : 3 : 0);
}

static void
take_rows(struct cn_march *m, struct cn_arena *arena, size_t rows, size_t joints)
{
    m->joint = CN_ARENA_TAKE(arena, struct cn_joint_row, joints);
    m->joint_force = CN_ARENA_TAKE(arena, struct cn_joint_force, joints);
    m->row = CN_ARENA_TAKE(arena, struct cn_row, rows);
    m->tag = CN_ARENA_TAKE(arena, unsigned char, rows);
    m->b = CN_ARENA_TAKE(arena, double, rows);
    m->f = CN_ARENA_TAKE(arena, double, rows);
    m->lower = CN_ARENA_TAKE(arena, double, rows);
    m->upper = CN_ARENA_TAKE(arena, double, rows);
    m->start = CN_ARENA_TAKE(arena, double, rows);
    m->plastic = CN_ARENA_TAKE(arena, double, rows);
    m->friction = CN_ARENA_TAKE(arena, double, rows);
}

static void
take(struct cn_march *m, struct cn_arena *arena, const struct cn_model *model,
    const struct cn_solver *solver)
{
    size_t bodies = (size_t)model->body_count, shapes = (size_t)model->shape_count;
    size_t contacts = (size_t)model->contact_max;
    m->contact_rows = rows_per_contact(model, solver);
    m->joint_max = cn_joint_row_count_max(model);
    int joints = m->joint_max, rows = m->contact_rows * model->contact_max + joints;
    m->row_max = rows;
    m->pose = CN_ARENA_TAKE(arena, cn_pose, bodies);
    m->wrench = CN_ARENA_TAKE(arena, struct cn_wrench, bodies);
    m->mass = CN_ARENA_TAKE(arena, struct cn_mass_inverse, bodies);
    m->gain = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    m->response = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    m->unkept = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    m->acceleration = CN_ARENA_TAKE(arena, struct cn_acceleration, bodies);
    m->box = CN_ARENA_TAKE(arena, cn_aabb, shapes);
    m->pair = CN_ARENA_TAKE(arena, struct cn_pair, contacts);
    m->contact = CN_ARENA_TAKE(arena, struct cn_contact, contacts);
    m->rate = CN_ARENA_TAKE(arena, double, contacts);
    m->hit = CN_ARENA_TAKE(arena, bool, contacts);
    m->contact_row = CN_ARENA_TAKE(arena, int, contacts);
    m->force = CN_ARENA_TAKE(arena, double, contacts);
    m->tangent = CN_ARENA_TAKE(arena, cn_vec3, 2 * contacts);
    m->friction_force = CN_ARENA_TAKE(arena, cn_vec3, contacts);
    m->moment = has_moments(model, solver) ? CN_ARENA_TAKE(arena, cn_vec3, contacts) : NULL;
    take_rows(m, arena, (size_t)rows, (size_t)joints);
    m->energy_scratch = *arena;
    cn_march_energy_layout(arena, rows, model->body_count);
    m->solver_scratch = *arena;
    solver->layout(arena, rows, model->body_count);
}

void
cn_march_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver)
{
    struct cn_march unused;
    take(&unused, scratch, model, solver);
}

void
cn_march_init(struct cn_march *march, struct cn_step_context *context)
{
    struct cn_arena arena = context->scratch;
    *march = (struct cn_march){
        .model = context->model,
        .solver = context->solver,
        .work = &context->work,
        .work_before = context->work,
        .h = cn_model_tick_duration(context->model) - context->model->clock.elapsed,
        .piece_count = 1,
    };
    take(march, &arena, context->model, context->solver);
    CN_ASSERT(march->contact_rows >= 1 && march->contact_rows <= CN_ROWS_PER_CONTACT);
}
