/* validate.c: `cairn validate`. */
#include "clients/cli/scene_file.h"

static const char *
plural(int count)
{
    return count == 1 ? "" : "s";
}

static void
tell(const char *file, const char *path, int index, const char *what)
{
    printf("%s: note: %s[%d] %s; with the solver impulse that acts\n", file, path, index, what);
}

/* What a solver leaves out and what changes no motion by much is told; the rest it refuses. */
static void
tell_what_is_left_out(const char *file, const struct cn_world_def *def)
{
    const struct cn_solver *solver = cn_solver_find(def->settings.solver);
    if (solver == NULL || solver->kind == CN_SOLVER_BODIES) {
        return;
    }
    for (int i = 0; i < def->material_count; i++) {
        const struct cn_material_def *material = &def->materials[i];
        bool turns = material->rolling_friction > 0.0 || material->spinning_friction > 0.0;
        if (turns && solver->kind == CN_SOLVER_PROBLEM) {
            tell(file, "materials", i, "has rolling or spinning friction");
        }
    }
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        bool events = false;
        for (int k = 0; k < body->shape_count; k++) {
            events = events || body->shapes[k].contact_events || body->shapes[k].hit_events;
        }
        if (events && solver->kind == CN_SOLVER_PROBLEM) {
            tell(file, "bodies", i, "wants events of contacts");
        }
        if (body->bullet || body->sleepless) {
            tell(file, "bodies", i, body->bullet ? "is a bullet" : "is sleepless");
        }
    }
}

/* A world that can be made, and that a daemon would not take. */
static enum cli_exit
look_for_overlap(const char *file, const struct cn_world_def *def)
{
    struct cn_defect defect;
    struct cn_world *world = NULL;
    enum cn_status status = cn_world_create(def, &defect, &world);
    if (status == CN_OK) {
        status = cn_world_deep_check(world, &defect);
    }
    cn_world_destroy(world);
    if (status != CN_OK) {
        fprintf(stderr, "%s: %s: %s\n", file, defect.path, defect.text);
    }
    return status == CN_OK ? CLI_DONE : status == CN_MEMORY ? CLI_COULD_NOT : CLI_BAD;
}

enum cli_exit
cli_validate(const struct cli_call *call)
{
    enum cli_exit worst = CLI_DONE;
    for (int i = 0; i < call->operand_count; i++) {
        enum cli_exit result = CLI_DONE;
        struct wire_scene *scene = cli_scene_read(call->operands[i], &result);
        if (scene != NULL) {
            const struct cn_world_def *def = wire_scene_world_def(scene);
            result = look_for_overlap(call->operands[i], def);
        }
        if (scene != NULL && result == CLI_DONE) {
            const struct cn_world_def *def = wire_scene_world_def(scene);
            printf("%s: good: %d bod%s, %d joint%s, %d spring%s, %d thruster%s\n",
                call->operands[i], def->body_count, def->body_count == 1 ? "y" : "ies",
                def->joint_count, plural(def->joint_count), def->spring_count,
                plural(def->spring_count), def->thruster_count, plural(def->thruster_count));
            tell_what_is_left_out(call->operands[i], def);
        }
        wire_scene_destroy(scene);
        worst = result > worst ? result : worst;
    }
    return worst;
}
