/*
 * impulse_joint_kernel.h: the source of the joints' kernel for one instruction set.  A file defines
 * the kind of lanes, includes this header and names the kernel.  One dimension may be left out, as
 * in impulse_kernel.h.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_KERNEL_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_KERNEL_H

#include "engine/solve/joints/impulse_joint_lanes.h"

#ifdef CN_WITHOUT_PLANAR
#define JOINT_PLANAR {{0}}
#else
#include "engine/solve/joints/impulse_joint_lanes2.h"

#define JOINT_PLANAR                                                                               \
    {                                                                                              \
        {point2_warm_start, point2_solve, point2_relax},                                           \
            {hinge2_warm_start, hinge2_solve, hinge2_relax},                                       \
    }
#endif

#ifdef CN_WITHOUT_SPATIAL
#define JOINT_SPATIAL {{0}}
#else
#include "engine/solve/joints/impulse_joint_lanes3.h"
#include "engine/solve/joints/impulse_joint_lanes_ball.h"

#define JOINT_SPATIAL                                                                              \
    {                                                                                              \
        {point3_warm_start, point3_solve, point3_relax},                                           \
            {hinge3_warm_start, hinge3_solve, hinge3_relax},                                       \
            {ball3_warm_start, ball3_solve, ball3_relax},                                          \
    }
#endif

#define JOINT_KERNEL(symbol, text)                                                                 \
    const struct cn_joint_kernel symbol = {                                                        \
        .name = text,                                                                              \
        .lanes = LANES,                                                                            \
        .planar = JOINT_PLANAR,                                                                    \
        .spatial = JOINT_SPATIAL,                                                                  \
    }

#endif
