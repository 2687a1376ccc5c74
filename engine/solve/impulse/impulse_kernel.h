/*
 * impulse_kernel.h: the source of one kernel.  A file that defines the kind of lanes includes it.
 *
 * A program whose worlds have one dimension may leave out the functions of the other one, with
 * CN_WITHOUT_PLANAR or CN_WITHOUT_SPATIAL (wasm/build).
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_KERNEL_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_KERNEL_H

#include "engine/solve/impulse/impulse_lanes.h"

#ifdef CN_WITHOUT_PLANAR
#define IMPULSE_PLANAR {0}
#else
#include "engine/solve/impulse/impulse_planar.h"
#include "engine/solve/impulse/impulse_planar_body.h"
#include "engine/solve/impulse/impulse_planar_prepare.h"

#define IMPULSE_PLANAR \
    { \
        .block_size = sizeof(struct planar_block), \
        .integrate_velocities = planar_integrate_velocities, \
        .integrate_positions = planar_integrate_positions, \
        .prepare = planar_prepare, \
        .warm_start = planar_warm_start, \
        .solve = planar_solve, \
        .relax = planar_relax, \
        .restitution = planar_restitution, \
        .store = planar_store, \
        .cool = planar_cool, \
        .gained = planar_gained, \
    }
#endif

#ifdef CN_WITHOUT_SPATIAL
#define IMPULSE_SPATIAL {0}
#else
#include "engine/solve/impulse/impulse_spatial.h"
#include "engine/solve/impulse/impulse_spatial_body.h"
#include "engine/solve/impulse/impulse_spatial_prepare.h"

#define IMPULSE_SPATIAL \
    { \
        .block_size = sizeof(struct spatial_block), \
        .integrate_velocities = spatial_integrate_velocities, \
        .integrate_positions = spatial_integrate_positions, \
        .prepare = spatial_prepare, \
        .warm_start = spatial_warm_start, \
        .solve = spatial_solve, \
        .relax = spatial_relax, \
        .restitution = spatial_restitution, \
        .store = spatial_store, \
        .cool = spatial_cool, \
        .gained = spatial_gained, \
    }
#endif

#define IMPULSE_KERNEL(symbol, text) \
    const struct cn_impulse_kernel symbol = { \
        .name = text, \
        .lanes = LANES, \
        .planar = IMPULSE_PLANAR, \
        .spatial = IMPULSE_SPATIAL, \
    }

#endif
