/* refuse.c: error texts for unknown names, and for solvers that lack a feature. */
#include "engine/world/world_inside.h"

#include "engine/base/name.h"
#include "engine/solve/table/solver_table.h"
#include "engine/step/stepper.h"

#include <stdio.h>
#include <string.h>

#define NAMES_SHOWN_MAX 16
#define KNOWN_SIZE 128 /* of a list of names in a text */

/* Refuses a name that is not in a table; the text lists all names and the one that may be meant. */
enum cn_status
cn_world_refuse_name(struct cn_defect *defect, const char *path, const char *name,
    const char *const *names, int count)
{
    char known[KNOWN_SIZE] = "";
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, name);
    for (int i = 0; i < count; i++) {
        size_t size = strlen(known);
        snprintf(known + size, sizeof(known) - size, "%s%s", i > 0 ? ", " : "", names[i]);
        cn_nearest_offer(&nearest, names[i]);
    }
    return cn_defect_set(defect, CN_UNKNOWN, path, "is %s; there is %s%s", cn_quote(name).text,
        known, cn_nearest_hint(&nearest).text);
}

enum cn_status
cn_world_refuse_stepper(struct cn_defect *defect, const char *path, const char *name)
{
    const char *names[NAMES_SHOWN_MAX];
    int count = 0;
    for (; count < cn_stepper_count && count < NAMES_SHOWN_MAX; count++) {
        names[count] = cn_steppers[count]->name;
    }
    return cn_world_refuse_name(defect, path, name, names, count);
}

enum cn_status
cn_world_refuse_solver(struct cn_defect *defect, const char *path, const char *name)
{
    const char *names[NAMES_SHOWN_MAX];
    int count = 0;
    for (; count < cn_solver_count && count < NAMES_SHOWN_MAX; count++) {
        names[count] = cn_solvers[count]->name;
    }
    return cn_world_refuse_name(defect, path, name, names, count);
}

static bool
has_friction_rows(const struct cn_solver *solver)
{
    return solver->friction;
}

static bool
has_moments(const struct cn_solver *solver)
{
    return solver->rolling;
}

static bool
knows_meshes(const struct cn_solver *solver)
{
    return solver->meshes;
}

/* The names of the solvers with a feature, for a text. */
static void
list_solvers(bool (*can)(const struct cn_solver *solver), char known[KNOWN_SIZE])
{
    size_t size = 0;
    known[0] = '\0';
    for (int i = 0; i < cn_solver_count && size < KNOWN_SIZE; i++) {
        if (can(cn_solvers[i])) {
            size += (size_t)snprintf(known + size, KNOWN_SIZE - size, "%s%s",
                size > 0 ? ", " : "", cn_solvers[i]->name);
        }
    }
}

enum cn_status
cn_world_check_meshes(const char *name, const char *path, struct cn_defect *defect)
{
    const struct cn_solver *solver = cn_solver_find(name);
    if (solver == NULL || solver->meshes) {
        return CN_OK; /* a name that is no solver is refused elsewhere */
    }
    char known[KNOWN_SIZE];
    list_solvers(knows_meshes, known);
    return cn_defect_set(defect, CN_PAIR, path,
        "is there, and the solver \"%s\" knows no meshes; %s can", name, known);
}

enum cn_status
cn_world_refuse_frictionless(struct cn_defect *defect, const char *path, const char *name)
{
    char known[KNOWN_SIZE];
    list_solvers(has_friction_rows, known);
    return cn_defect_set(defect, CN_PAIR, path,
        "is \"%s\", which has no friction, and materials of this world have; there is %s with it",
        name, known);
}

enum cn_status
cn_world_check_moments(const struct cn_solver *solver, const char *path, const char *what,
    struct cn_defect *defect)
{
    if (solver->rolling) {
        return CN_OK;
    }
    char known[KNOWN_SIZE];
    list_solvers(has_moments, known);
    return cn_defect_set(defect, CN_PAIR, path,
        "%s the solver \"%s\" has no moments against rolling; %s have them", what, solver->name,
        known);
}

enum cn_status
cn_world_refuse_locks(struct cn_defect *defect, const char *path, const char *name)
{
    return cn_defect_set(defect, CN_PAIR, path,
        "hold a body along an axis, and the solver \"%s\" locks turns alone; impulse does both",
        name);
}
