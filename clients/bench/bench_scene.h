/*
 * bench_scene.h: the scenes of `cairn-bench`: built and named as in other engines' benchmarks.
 *
 * Sizes, counts, densities, friction, motors and steps are those of the benchmark programs of Box2D
 * v3 (planar) and Box3D (spatial), so that times can be compared.  Behaviour is measured in the
 * scenes wall, wall_small, pyramid, tower and tiny.  A step is 1/60 s with 4 substeps, unless a
 * scene says otherwise.
 *
 * Departures: a feature that our worlds lack is replaced by the nearest one; the scene's file says
 * so.
 */
#ifndef CLIENTS_BENCH_BENCH_SCENE_H
#define CLIENTS_BENCH_BENCH_SCENE_H

#include "clients/bench/bench_build.h"

#define BENCH_HUMAN_PLANAR 11 /* bodies of a ragdoll */
#define BENCH_HUMAN_SPATIAL 14
#define BENCH_NAMES_MAX (200 * 5 * BENCH_HUMAN_PLANAR)

/* A body that a script has made. */
struct bench_name {
    int32_t slot;
    uint32_t generation;
};

/* The state of a script between steps. */
struct bench_script {
    int pusher; /* a body */
    int dropped;
    int column_count, column_next;
    struct bench_name name[BENCH_NAMES_MAX];
};

struct bench_scene {
    const char *name;
    enum cn_dimension dimension;
    int step_count;
    /* a stack whose sag, drift and tilt are measured; bodies 1 and up are its boxes */
    bool measured;
    bool sleeps;   /* the original sleeps */
    const char *text;
    void (*build)(struct bench_build *build);
    /* Called before step 0, 1, ...; NULL: no script. */
    void (*script)(struct bench_script *script, struct cn_world *world, int step);
};

/* 1000^(1/9): each of the 10 boxes of a ladder is so many times as heavy as the one below. */
#define BENCH_LADDER_RATIO 2.154434690031884

extern const struct bench_scene bench_scenes[];
extern const int bench_scene_count;

/*
 * bench_human.c: a ragdoll of 11 or 14 bodies that stands at (x, y).  The planar one's feet are of
 * the material after the present one.
 */
void bench_human_planar(struct bench_build *build, double x, double y, int group);
void bench_human_spatial(struct bench_build *build, cn_vec3 at, int group);

/* bench_rain.c: scripts that change a running scene. */
void bench_planar_rain(struct bench_build *build);
void bench_planar_rain_step(struct bench_script *script, struct cn_world *world, int step);
void bench_planar_smash_step(struct bench_script *script, struct cn_world *world, int step);
void bench_spatial_rain(struct bench_build *build);
void bench_spatial_rain_step(struct bench_script *script, struct cn_world *world, int step);
void bench_spatial_large_world(struct bench_build *build);
void bench_spatial_large_world_step(struct bench_script *script, struct cn_world *world, int step);

/* bench_planar.c */
void bench_planar_large_pyramid(struct bench_build *build);
void bench_planar_joint_grid(struct bench_build *build);
void bench_planar_many_pyramids(struct bench_build *build);
void bench_planar_smash(struct bench_build *build);
void bench_planar_spinner(struct bench_build *build);
void bench_planar_tumbler(struct bench_build *build);
void bench_planar_washer(struct bench_build *build);
void bench_planar_compounds(struct bench_build *build);
void bench_planar_junkyard(struct bench_build *build);
void bench_planar_junkyard_step(struct bench_script *script, struct cn_world *world, int step);
void bench_planar_tiny(struct bench_build *build);
void bench_planar_tower(struct bench_build *build);
void bench_planar_ladder(struct bench_build *build);
void bench_planar_wall(struct bench_build *build);

/* bench_masonry.c */
void bench_planar_cards(struct bench_build *build);
void bench_planar_arch(struct bench_build *build);
void bench_spatial_arch(struct bench_build *build);

/* bench_bones.c */
void bench_spatial_bones(struct bench_build *build);
void bench_spatial_jacks(struct bench_build *build);

/* bench_rings.c */
void bench_spatial_rings(struct bench_build *build);

/* Whether the scene reports bodies that went through others. */
static inline bool
bench_has_rings(const struct bench_scene *scene)
{
    return scene->build == bench_spatial_rings;
}

/* Whether the scene reports how deeply its bodies overlap: bench_depth.c. */
static inline bool
bench_has_meshes(const struct bench_scene *scene)
{
    return bench_has_rings(scene) || scene->build == bench_spatial_bones ||
           scene->build == bench_spatial_jacks;
}

/* bench_spatial.c */
void bench_spatial_large_pyramid(struct bench_build *build);
void bench_spatial_joint_grid(struct bench_build *build);
void bench_spatial_many_pyramids(struct bench_build *build);
void bench_spatial_convex_pile(struct bench_build *build);
void bench_spatial_junkyard(struct bench_build *build);
void bench_spatial_junkyard_step(struct bench_script *script, struct cn_world *world, int step);
void bench_spatial_washer(struct bench_build *build);
void bench_spatial_wall(struct bench_build *build);
void bench_spatial_wall_small(struct bench_build *build);
void bench_spatial_pyramid(struct bench_build *build);
void bench_spatial_pyramid_of(struct bench_build *build, int base);
void bench_spatial_tiny(struct bench_build *build);
void bench_spatial_tower(struct bench_build *build);
void bench_spatial_ladder(struct bench_build *build);

#endif
