/*
 * material_check.c: checks the materials of a definition, and the pairs of materials that have
 * values of their own.
 */
#include "engine/world/check/def_check.h"
#include "engine/world/world_inside.h"

#include <stdio.h>

#define PATH_SIZE 64

/* ---- one material ---- */

enum cn_status
cn_material_def_check(const struct cn_world_def *def, const struct cn_material_def *material,
    struct cn_defect *defect)
{
    CN_CHECK(check_vector(def, defect, "surfaceVelocity", material->surface_velocity, CN_SPEED_MAX,
        "a velocity", "m/s"));
    CN_CHECK(
        check_number(defect, "restitution", material->restitution, 0.0, 1.0, "a restitution", ""));
    CN_CHECK(check_number(
        defect, "friction", material->friction, 0.0, CN_FRICTION_MAX, "a friction", ""));
    CN_CHECK(check_number(defect, "staticFriction", material->static_friction, 0.0, CN_FRICTION_MAX,
        "a friction", ""));
    CN_CHECK(check_number(defect, "rollingFriction", material->rolling_friction, 0.0,
        CN_FRICTION_MAX, "a friction", ""));
    CN_CHECK(check_number(defect, "spinningFriction", material->spinning_friction, 0.0,
        CN_FRICTION_MAX, "a friction", ""));
    if (material->static_friction < material->friction) {
        return cn_defect_set(defect, CN_RANGE, "staticFriction",
            "is %.9g, below the friction %.9g of bodies that slide", material->static_friction,
            material->friction);
    }
    return CN_OK;
}

/* ---- one pair ---- */

/* The range of a value, if the pair has it. */
static enum cn_status
check_own(const struct cn_material_pair *pair, enum cn_pair_value which, struct cn_defect *defect,
    const char *path, double value, double high)
{
    return (pair->has & which) == 0 ? CN_OK
                                    : check_number(defect, path, value, 0.0, high,
                                          which == CN_PAIR_RESTITUTION ? "a restitution"
                                                                       : "a friction",
                                          "");
}

static enum cn_status
check_values(const struct cn_world_def *def, const struct cn_material_pair *pair,
    struct cn_defect *defect)
{
    CN_CHECK(check_own(
        pair, CN_PAIR_FRICTION, defect, "friction", pair->friction, CN_FRICTION_MAX));
    CN_CHECK(check_own(pair, CN_PAIR_STATIC_FRICTION, defect, "staticFriction",
        pair->static_friction, CN_FRICTION_MAX));
    CN_CHECK(
        check_own(pair, CN_PAIR_RESTITUTION, defect, "restitution", pair->restitution, 1.0));
    CN_CHECK(check_own(pair, CN_PAIR_ROLLING, defect, "rollingFriction", pair->rolling_friction,
        CN_FRICTION_MAX));
    CN_CHECK(check_own(pair, CN_PAIR_SPINNING, defect, "spinningFriction", pair->spinning_friction,
        CN_FRICTION_MAX));
    if ((pair->has & CN_PAIR_SURFACE) != 0) {
        CN_CHECK(check_vector(def, defect, "surfaceVelocity", pair->surface_velocity, CN_SPEED_MAX,
            "a velocity", "m/s"));
    }
    return CN_OK;
}

static enum cn_status
check_pair(const struct cn_world_def *def, const struct cn_material_pair *pair,
    struct cn_defect *defect)
{
    int count = def->material_count > 0 ? def->material_count : 1;
    for (int side = 0; side < 2; side++) {
        int material = side == 0 ? pair->a : pair->b;
        if (material < 0 || material >= count) {
            return cn_defect_set(defect, CN_REFERENCE, side == 0 ? "a" : "b",
                "is number %d; there are %d materials", material, count);
        }
    }
    if (pair->has == 0) {
        return cn_defect_set(defect, CN_SYNTAX, "",
            "has no value; a friction, a restitution, a surfaceVelocity or ignore is accepted");
    }
    if ((pair->has & CN_PAIR_IGNORE) != 0 && pair->has != CN_PAIR_IGNORE) {
        return cn_defect_set(
            defect, CN_PAIR, "ignore", "is given with other values, which nothing would use");
    }
    CN_CHECK(check_values(def, pair, defect));
    if ((pair->has & CN_PAIR_STATIC_FRICTION) != 0) {
        if ((pair->has & CN_PAIR_FRICTION) == 0) {
            return cn_defect_set(defect, CN_PAIR, "staticFriction", "is given without friction");
        }
        if (pair->static_friction < pair->friction) {
            return cn_defect_set(defect, CN_RANGE, "staticFriction",
                "is %.9g, below the friction %.9g of bodies that slide", pair->static_friction,
                pair->friction);
        }
    }
    if ((pair->has & CN_PAIR_SURFACE) != 0 && pair->a == pair->b) {
        return cn_defect_set(defect, CN_PAIR, "surfaceVelocity",
            "is given for a material with itself; it is that of the first of two materials");
    }
    return CN_OK;
}

/* An earlier pair of the same two materials; -1: none. */
static int
find_same(const struct cn_world_def *def, int index)
{
    for (int i = 0; i < index; i++) {
        if (cn_material_pair_compare(&def->material_pairs[i], &def->material_pairs[index]) == 0) {
            return i;
        }
    }
    return -1;
}

enum cn_status
cn_material_pairs_def_check(const struct cn_world_def *def, struct cn_defect *defect)
{
    for (int i = 0; i < def->material_pair_count; i++) {
        enum cn_status status = check_pair(def, &def->material_pairs[i], defect);
        int same = status == CN_OK ? find_same(def, i) : -1;
        if (same >= 0) {
            status = cn_defect_set(
                defect, CN_DUPLICATE, "", "is of the same materials as pair %d", same);
        }
        if (status != CN_OK) {
            bool is_inside = defect != NULL && defect->path[0] != '\0';
            cn_defect_prefix(defect, "materialPairs[%d]%s", i, is_inside ? "." : "");
            return status;
        }
    }
    return CN_OK;
}

/* ---- what the solver must support ---- */

bool
cn_world_def_has_friction(const struct cn_world_def *def)
{
    for (int i = 0; i < def->material_count; i++) {
        if (def->materials[i].static_friction > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < def->material_pair_count; i++) {
        const struct cn_material_pair *pair = &def->material_pairs[i];
        if (((pair->has & CN_PAIR_FRICTION) != 0 && pair->friction > 0.0) ||
            ((pair->has & CN_PAIR_STATIC_FRICTION) != 0 && pair->static_friction > 0.0)) {
            return true;
        }
    }
    return false;
}

/* Refuses moments against rolling and spinning for solvers that do not have them. */
enum cn_status
cn_moments_def_check(const struct cn_world_def *def, const struct cn_solver *solver,
    struct cn_defect *defect)
{
    bool spatial = def->settings.dimension == CN_SPATIAL; /* in the plane nothing spins */
    char path[PATH_SIZE];
    for (int i = 0; i < def->material_count + def->material_pair_count; i++) {
        int k = i - def->material_count; /* of a pair */
        double rolling = 0.0, spinning = 0.0;
        if (k < 0) {
            rolling = def->materials[i].rolling_friction;
            spinning = def->materials[i].spinning_friction;
        } else {
            cn_material_pair_moments(&def->material_pairs[k], &rolling, &spinning);
        }
        if (rolling > 0.0 || (spatial && spinning > 0.0)) {
            snprintf(path, sizeof(path), "%s[%d].%s", k < 0 ? "materials" : "materialPairs",
                k < 0 ? i : k, rolling > 0.0 ? "rollingFriction" : "spinningFriction");
            CN_CHECK(cn_world_check_moments(solver, path, "is above 0, and", defect));
        }
    }
    return CN_OK;
}

enum cn_status
cn_surfaces_def_check(
    const struct cn_world_def *def, const char *solver_name, struct cn_defect *defect)
{
    char path[PATH_SIZE];
    for (int i = 0; i < def->material_count + def->material_pair_count; i++) {
        int k = i - def->material_count; /* of a pair */
        cn_vec3 v = k < 0 ? def->materials[i].surface_velocity
                          : def->material_pairs[k].surface_velocity;
        bool given = k < 0 || (def->material_pairs[k].has & CN_PAIR_SURFACE) != 0;
        if (given && (v.x != 0.0 || v.y != 0.0 || v.z != 0.0)) {
            snprintf(path, sizeof(path), "%s[%d].surfaceVelocity",
                k < 0 ? "materials" : "materialPairs", k < 0 ? i : k);
            return cn_defect_set(defect, CN_PAIR, path,
                "is given, and the solver \"%s\" moves no surfaces; impulse does", solver_name);
        }
    }
    return CN_OK;
}
