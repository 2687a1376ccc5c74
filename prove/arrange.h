/*
 * arrange.h: makes an arrangement from the definition of a world.
 *
 * number.h says which exact number a double stands for.  Gravity scales, constant forces, centres
 * of mass, filters and sensors count as in the world.  Parts of a world that could change the
 * answer, but that no proof covers, are refused by name: joints, springs, mutual gravitation,
 * locked axes, and kinematic bodies that move.  So are rolling friction, spinning friction and a
 * surface velocity of a material that touches another.  Thrusters never act at the start, so they
 * are ignored.
 */
#ifndef PROVE_ARRANGE_H
#define PROVE_ARRANGE_H

#include "prove/arrangement.h"
#include "prove/exact/watch.h"

struct pv_choice {
    bool side_contacts; /* false: leave side contacts out */
    bool friction;      /* false: treat every material as frictionless */
    bool start;         /* true: also find the first accelerations of an unstable arrangement */
    struct pv_watch watch; /* shows how far the proof is; all zeros: nothing is shown */
};

/*
 * Returns CN_OK, or the defect for which the world is refused; its path uses the names of
 * scene.proto.  The definition must have passed cn_world_def_check.  On failure *arrangement is
 * empty.
 */
CN_MUST_USE enum cn_status pv_arrangement_init(struct pv_arrangement *arrangement,
    const struct cn_world_def *def, const struct pv_choice *choice, struct cn_defect *defect);

#endif
