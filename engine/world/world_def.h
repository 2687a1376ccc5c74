/*
 * world_def.h: everything a world is made from.  SI units throughout.
 *
 * The caller owns every array and may free them when cn_world_create returns.  Names of bodies stay
 * with the caller: the engine speaks of indices.  cn_world_def_init gives the defaults that
 * scene.proto states; a field that is left alone means the same here and there.
 */
#ifndef ENGINE_WORLD_WORLD_DEF_H
#define ENGINE_WORLD_WORLD_DEF_H

#include "engine/model/model.h"
#include "engine/shape/shape.h"

struct cn_material_def {
    double friction;
    double static_friction; /* defaults to friction */
    double restitution;     /* 0 to 1 */
    double rolling_friction;
    double spinning_friction;
    cn_vec3 surface_velocity; /* as of a conveyor, body axes [m/s]; planar: x, along the tangent */
};

struct cn_body_def {
    enum cn_body_type type;
    cn_vec3 position;         /* of the body's frame [m] */
    double angle;             /* planar [rad] */
    cn_quat orientation;      /* spatial; brought to unit length */
    cn_vec3 velocity;         /* of the centre of mass [m/s] */
    cn_vec3 angular_velocity; /* [rad/s] */
    double mass;    /* kg; 0: not given, from the densities of the shapes (1 where none is given) */
    double inertia; /* planar, about the centre of mass [kg m^2]; 0: from shapes and mass */
    cn_mat33 inertia_tensor; /* spatial, about the centre of mass, body axes; zeros: not given */
    const struct cn_shape_def *shapes;
    int shape_count;
    double gravity_scale;   /* 1 */
    double damping_linear;  /* 1/s, at which its velocity decays, */
    double damping_angular; /* and its angular velocity */
    uint8_t locks;          /* enum cn_lock */
    bool bullet;            /* passes through no moving body either, where that is looked for */
    bool sleepless;         /* keeps its island awake */
};

/* A spring between two bodies, or a body and the world. */
struct cn_spring_def {
    int body_a;         /* -1: the world */
    int body_b;
    cn_vec3 anchor_a;   /* frame of body_a; world when body_a is -1 [m] */
    cn_vec3 anchor_b;   /* frame of body_b [m] */
    double stiffness;   /* N/m */
    double damping;     /* N s/m, along the spring */
    double rest_length; /* m */
};

/* A force fixed in a body, which an actuator input scales by its level in [-1, 1]. */
struct cn_thruster_def {
    int body;
    cn_vec3 at;    /* body frame [m] */
    cn_vec3 force; /* body frame [N] */
};

/*
 * A joint.  Anchors and axis are of the world at the start; kinds with one anchor have it in
 * anchor_b.  What a kind has no use for is 0.
 */
struct cn_joint_def {
    enum cn_joint_kind kind;
    int body_a;           /* -1: the world; of a TRACK always */
    int body_b;
    cn_vec3 anchor_a;     /* DISTANCE, ROPE [m] */
    cn_vec3 anchor_b;     /* m */
    cn_vec3 axis;         /* HINGE, SLIDER; any length */
    double length;        /* DISTANCE, ROPE [m]; 0: as at the start */
    int curve;            /* TRACK */
    bool has_limit;       /* HINGE, SLIDER: from the start [rad, m]; DISTANCE: its length [m] */
    double lower, upper;
    bool has_motor;       /* HINGE, SLIDER, TRACK, and DISTANCE with a limit */
    double motor_speed;   /* rad/s or m/s */
    double motor_force_max; /* N m or N; may be infinite */
    bool has_spring;      /* HINGE, SLIDER */
    double stiffness;     /* N m/rad or N/m */
    double damping;       /* N m s/rad or N s/m */
    double rest;          /* rad or m, from the start */
    double break_force;   /* N: it breaks when it would bear more; 0: never */
    double break_torque;  /* N m: the same */
    bool collide;         /* the two bodies may touch */
};

struct cn_curve_def {
    enum cn_curve_kind kind;
    const cn_vec3 *points; /* SPLINE */
    int point_count;
    bool closed;
    cn_vec3 center;        /* CIRCLE, in the plane z = center.z */
    double radius;
    cn_vec3 from, to;      /* LINE, endless */
};

struct cn_world_def {
    struct cn_settings settings;
    double tick_rate; /* Hz */
    uint64_t seed;
    int event_max; /* events kept for one tick; 0: CN_EVENTS_START */
    int body_room, shape_room, joint_room; /* slots laid out at least from the start */
    const struct cn_material_def *materials; /* none: one with the defaults */
    int material_count;
    const struct cn_body_def *bodies;
    int body_count;
    const struct cn_spring_def *springs;
    int spring_count;
    const struct cn_thruster_def *thrusters;
    int thruster_count;
    const struct cn_joint_def *joints;
    int joint_count;
    const struct cn_curve_def *curves;
    int curve_count;
    struct cn_mesh *const *meshes; /* of shapes; the world keeps each while it is */
    int mesh_count;
};

void cn_world_def_init(struct cn_world_def *def);
void cn_material_def_init(struct cn_material_def *material);
void cn_body_def_init(struct cn_body_def *body);

/* A joint of this kind: axis z of a hinge and x of a slider, motor force without bound. */
void cn_joint_def_init(struct cn_joint_def *joint, enum cn_joint_kind kind);

/*
 * Mass, centre of mass and inertia of a dynamic body.  The shapes, but sensors, spread the mass by
 * their areas, or volumes in space, and densities; a mass of the body's own scales that to it;
 * without densities it is 1 kg; an inertia of the body's own replaces what the shapes give.
 */
struct cn_mass_properties cn_body_def_weigh(
    const struct cn_body_def *body, enum cn_dimension dimension);

/* Whether the body has an inertia tensor of its own. */
bool cn_body_def_has_tensor(const struct cn_body_def *body);

/*
 * Refuses what can not be simulated, with the path in the names of scene.proto: numbers not finite
 * or out of range, masses, shapes, references, names in no table, pairs that do not fit.
 */
CN_MUST_USE enum cn_status cn_world_def_check(
    const struct cn_world_def *def, struct cn_defect *defect);

#endif
