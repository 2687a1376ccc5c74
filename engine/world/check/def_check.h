/*
 * def_check.h: shared by the files that check a definition: checks of numbers, vectors and counts.
 */
#ifndef ENGINE_WORLD_CHECK_DEF_CHECK_H
#define ENGINE_WORLD_CHECK_DEF_CHECK_H

#include "engine/solve/solver.h"
#include "engine/world/world_def.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* "is -1; a mass is from 0.001 to 1e+06 kg" */
static inline enum cn_status
check_number(struct cn_defect *defect, const char *path, double value, double low, double high,
    const char *what, const char *unit)
{
    if (value >= low && value <= high) {
        return CN_OK;
    }
    return cn_defect_set(defect, isfinite(value) ? CN_RANGE : CN_FINITE, path,
        "is %.9g; %s is from %.9g to %.9g%s%s", value, what, low, high,
        unit[0] == '\0' ? "" : " ", unit);
}

/* Each member is within +-bound; in the plane z is not used, but must be finite. */
static inline enum cn_status
check_vector(const struct cn_world_def *def, struct cn_defect *defect, const char *path,
    cn_vec3 value, double bound, const char *what, const char *unit)
{
    const double members[] = {value.x, value.y, value.z};
    double bound_z = def->settings.dimension == CN_SPATIAL ? bound : DBL_MAX;
    if (fabs(value.x) <= bound && fabs(value.y) <= bound && fabs(value.z) <= bound_z) {
        return CN_OK; /* names are only made for errors, because queries are checked here, too */
    }
    for (int i = 0; i < 3; i++) {
        char member[64];
        snprintf(member, sizeof(member), "%s.%c", path, "xyz"[i]);
        double limit = i < 2 ? bound : bound_z;
        if (!isfinite(members[i])) {
            return cn_defect_set(
                defect, CN_FINITE, member, "is %g; only finite numbers are accepted", members[i]);
        }
        CN_CHECK(check_number(defect, member, members[i], -limit, limit, what, unit));
    }
    return CN_OK;
}

static inline enum cn_status
check_count(struct cn_defect *defect, const char *path, int count, int low, int high)
{
    if (count < low || count > high) {
        return cn_defect_set(defect, CN_LIMIT, path, "has %d entries; %d to %d are accepted", count,
            low, high);
    }
    return CN_OK;
}

/* force_check.c: one force. */
CN_MUST_USE enum cn_status cn_spring_def_check(
    const struct cn_world_def *def, const struct cn_spring_def *spring, struct cn_defect *defect);
CN_MUST_USE enum cn_status cn_thruster_def_check(const struct cn_world_def *def,
    const struct cn_thruster_def *thruster, struct cn_defect *defect);
CN_MUST_USE enum cn_status cn_constant_force_def_check(const struct cn_world_def *def,
    const struct cn_constant_force_def *force, struct cn_defect *defect);

/*
 * material_check.c: one material; all pairs of materials, with paths from "materialPairs"; whether
 * a contact may have friction; and whether the solver supports moments, and surfaces that move.
 */
CN_MUST_USE enum cn_status cn_material_def_check(const struct cn_world_def *def,
    const struct cn_material_def *material, struct cn_defect *defect);
CN_MUST_USE enum cn_status cn_material_pairs_def_check(
    const struct cn_world_def *def, struct cn_defect *defect);
bool cn_world_def_has_friction(const struct cn_world_def *def);
CN_MUST_USE enum cn_status cn_moments_def_check(
    const struct cn_world_def *def, const struct cn_solver *solver, struct cn_defect *defect);
CN_MUST_USE enum cn_status cn_surfaces_def_check(
    const struct cn_world_def *def, const char *solver_name, struct cn_defect *defect);

/* attribute_check.c: all attributes; paths name the owner. */
CN_MUST_USE enum cn_status cn_attributes_def_check(
    const struct cn_world_def *def, struct cn_defect *defect);

/* joint_check.c: one curve; paths begin with its kind. */
CN_MUST_USE enum cn_status cn_curve_def_check(
    const struct cn_world_def *def, int index, struct cn_defect *defect);

#endif
