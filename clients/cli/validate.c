/* validate.c: `cairn validate`. */
#include "clients/cli/scene_file.h"
#include "engine/solve/table/solver_table.h"

#include <stdlib.h>
#include <string.h>

static const char *
plural_ending(int count)
{
    return count == 1 ? "" : "s";
}

static void
tell_finding(const char *file, const char *path, int index, const char *what)
{
    printf("%s: note: %s[%d] %s; with the solver impulse that acts\n", file, path, index, what);
}

/* Prints parts of the scene that the solver ignores and that change the motion little. */
static void
tell_what_is_left_out(const char *file, const struct cn_world_def *def)
{
    const struct cn_solver *solver = cn_solver_find(def->settings.solver);
    if (solver == NULL || solver->kind == CN_SOLVER_BODIES) {
        return;
    }
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        if (body->bullet || body->sleepless) {
            tell_finding(file, "bodies", i, body->bullet ? "is a bullet" : "is sleepless");
        }
    }
}

/* Names the materials whose static friction the solver impulse replaces by their friction. */
static void
tell_static_friction(const char *file, const struct cn_world_def *def)
{
    const struct cn_solver *solver = cn_solver_find(def->settings.solver);
    if (solver == NULL || solver->kind != CN_SOLVER_BODIES) {
        return;
    }
    for (int i = 0; i < def->material_count; i++) {
        const struct cn_material_def *material = &def->materials[i];
        if (material->static_friction > material->friction) {
            printf("%s: note: materials[%d] has staticFriction %.9g; the solver %s does not use "
                   "it, and bodies at rest hold with the friction %.9g too\n",
                file, i, material->static_friction, solver->name, material->friction);
        }
    }
}

static bool
has_friction(const struct cn_world_def *def)
{
    for (int i = 0; i < def->material_count; i++) {
        if (def->materials[i].static_friction > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < def->material_pair_count; i++) {
        const struct cn_material_pair *pair = &def->material_pairs[i];
        if ((pair->has & CN_PAIR_FRICTION) != 0 && pair->friction > 0.0) {
            return true;
        }
    }
    return def->material_count == 0;
}

/*
 * Contacts of the largest island after one tick with the production solver, which is cheap for
 * every scene.  0 if that solver cannot step the scene.
 */
static int
largest_island(const struct cn_world_def *def)
{
    struct cn_world_def quick = *def;
    struct cn_defect defect;
    struct cn_world *world = NULL;
    snprintf(quick.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(quick.settings.solver, CN_NAME_SIZE, "impulse");
    int *parent = calloc((size_t)def->body_count + 1, sizeof(parent[0])), count = 0;
    if (parent != NULL && cn_world_create(&quick, &defect, &world) == CN_OK) {
        enum cn_step_result result = cn_world_step(world, CN_WORK_UNLIMITED);
        while (result == CN_STEP_MORE) {
            result = cn_world_step(world, CN_WORK_UNLIMITED);
        }
        count = result == CN_STEP_DONE ? cn_advice_island(world, def, parent) : 0;
    }
    cn_world_destroy(world);
    free(parent);
    return count;
}

/* Recommends a stepper and a solver that are fast enough for the largest island. */
static void
advise_method(const char *file, const struct cn_world_def *def)
{
    const struct cn_settings *settings = &def->settings;
    bool rough = has_friction(def), moves = cn_advice_moves(def);
    int contacts = largest_island(def);
    int rows = contacts * (!rough ? 1 : settings->dimension == CN_PLANAR ? 2 : 3);
    struct cn_advice advice = cn_advice_find(settings, contacts, rough, moves);
    bool pivots = strcmp(settings->solver, "baraff94") == 0 ||
                  strcmp(settings->solver, "faure96") == 0 ||
                  strcmp(settings->solver, "baraff89") == 0;
    if (pivots && rough && rows > CN_CONTACT_ROWS_MAX) {
        printf("%s: note: the largest island has %d contacts, %d rows; %s takes up to %d rows with "
               "friction, beyond which newton or sweeps answers for it (event standIn)\n",
            file, contacts, rows, settings->solver, CN_CONTACT_ROWS_MAX);
    }
    if (strcmp(advice.stepper, settings->stepper) == 0 &&
        strcmp(advice.solver, settings->solver) == 0) {
        return;
    }
    printf("%s: advice: choose stepper %s and solver %s: the largest island has %d contacts with "
           "friction%s; ", file, advice.stepper, advice.solver, contacts,
        moves ? " and something moves fast" : "");
    if (advice.is_exact) {
        printf("newton finds exact forces of up to %d contacts within a tick of 1/60 s while they "
               "are settled\n", CN_ADVICE_SETTLED_MAX);
    } else {
        printf("exact forces take longer than a tick of 1/60 s from %d contacts on; impulse keeps "
               "up with thousands, with soft contacts\n",
            moves ? CN_ADVICE_MOVING_MAX : CN_ADVICE_SETTLED_MAX);
    }
}

/* Refuses overlaps: a world can be made with them, but a daemon does not accept it. */
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
            int constants = def->constant_force_count;
            printf("%s: good: %d bod%s, %d joint%s, %d spring%s, %d thruster%s", call->operands[i],
                def->body_count, def->body_count == 1 ? "y" : "ies", def->joint_count,
                plural_ending(def->joint_count), def->spring_count,
                plural_ending(def->spring_count), def->thruster_count,
                plural_ending(def->thruster_count));
            if (constants > 0) {
                printf(", %d constant force%s", constants, plural_ending(constants));
            }
            putchar('\n');
            tell_what_is_left_out(call->operands[i], def);
            tell_static_friction(call->operands[i], def);
            advise_method(call->operands[i], def);
        }
        wire_scene_destroy(scene);
        worst = result > worst ? result : worst;
    }
    return worst;
}
