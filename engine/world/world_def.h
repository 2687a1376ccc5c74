/*
 * world_def.h: everything a world is made from.  SI units throughout.
 *
 * The caller owns every array and may free them when cn_world_create returns.  Names of bodies stay
 * with the caller; the engine uses indices.  cn_world_def_init gives the defaults that scene.proto
 * states; an unset field means the same here and there.
 */
#ifndef ENGINE_WORLD_WORLD_DEF_H
#define ENGINE_WORLD_WORLD_DEF_H

#include "engine/model/model.h"
#include "engine/shape/shape.h"

struct cn_material_def {
    double friction;
    double static_friction; /* defaults to friction; the solver `impulse` does not use it */
    double restitution;     /* 0 to 1 */
    double rolling_friction;
    double spinning_friction;
    cn_vec3 surface_velocity; /* as of a conveyor, body axes [m/s]; planar: x, along the tangent */
};

struct cn_body_def {
    enum cn_body_type type;
    cn_vec3 position;         /* of the body's frame [m] */
    double angle;             /* planar [rad] */
    cn_quat orientation;      /* spatial; is normalised */
    cn_vec3 velocity;         /* of the centre of mass [m/s] */
    cn_vec3 angular_velocity; /* [rad/s] */
    bool has_center;        /* else that of the shapes; 0 for a body that is not DYNAMIC */
    cn_vec3 center_of_mass; /* in the body's frame [m] */
    double mass;    /* kg; 0: not given, computed from the densities of the shapes (1 kg where
                       none is given) */
    double inertia; /* planar, about the centre of mass [kg m^2]; 0: from shapes and mass */
    cn_mat33 inertia_tensor; /* spatial, about the centre of mass, body axes; zeros: not given */
    const struct cn_shape_def *shapes;
    int shape_count;
    double gravity_scale;   /* 1 */
    double damping_linear;  /* 1/s, decay rate of its velocity */
    double damping_angular; /* 1/s, decay rate of its angular velocity */
    uint8_t locks;          /* enum cn_lock */
    bool bullet;            /* does not pass through moving bodies either, where the solver
                               supports it */
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

/* A force and a torque that always act on a body. */
struct cn_constant_force_def {
    int body;
    enum cn_frame frame; /* the axes of force and torque */
    bool has_at;         /* else the force acts at the centre of mass */
    cn_vec3 at;          /* body frame [m] */
    cn_vec3 force;       /* N */
    cn_vec3 torque;      /* N m; planar: z */
};

/*
 * A joint.  Anchors and axis are in world coordinates at the start; kinds with one anchor have it
 * in anchor_b.  Fields that a kind does not use are 0.
 */
struct cn_joint_def {
    enum cn_joint_kind kind;
    int body_a;           /* -1: the world; always for a TRACK */
    int body_b;
    cn_vec3 anchor_a;     /* DISTANCE, ROPE [m] */
    cn_vec3 anchor_b;     /* m */
    cn_vec3 axis;         /* HINGE, SLIDER; BALL in space: twist axis, fixed in B; any length */
    cn_vec3 cone_axis;    /* BALL in space: of the cone, fixed in A; any length; 0: axis */
    double length;        /* DISTANCE, ROPE [m]; 0: that at the start */
    int curve;            /* TRACK */
    /* HINGE, SLIDER: from the start [rad, m]; DISTANCE: of its length [m]; BALL in space: of its
     * twist [rad], within a cone of at most CN_TWIST_CONE_MAX */
    bool has_limit;
    double lower, upper;
    double restitution;   /* of the limits, and of a rope that becomes taut; 0 to 1 */
    bool has_motor;       /* HINGE, SLIDER, TRACK, and DISTANCE with a limit */
    double motor_speed;   /* rad/s or m/s */
    double motor_force_max; /* N m or N; may be infinite */
    bool has_cone;        /* BALL in space */
    double cone;          /* largest angle between axis and cone_axis [rad] */
    double friction;      /* BALL in space, HINGE without a motor: largest friction torque [N m] */
    bool has_spring;      /* HINGE, SLIDER; BALL in space, against any turn from cone_axis */
    double stiffness;     /* N m/rad or N/m */
    double damping;       /* N m s/rad or N s/m */
    double rest;          /* rad or m, from the start; 0 for a BALL */
    double break_force;   /* N: above it the joint breaks; 0: never */
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
    size_t memory_max; /* bytes that the world may use; 0: CN_WORLD_MEMORY */
    int event_max; /* events kept for one tick; 0: CN_EVENTS_START */
    int body_room, shape_room, joint_room; /* least number of slots laid out at the start */
    const struct cn_material_def *materials; /* count 0: one with the defaults */
    int material_count;
    const struct cn_material_pair *material_pairs; /* in any order */
    int material_pair_count;
    const struct cn_body_def *bodies;
    int body_count;
    const struct cn_spring_def *springs;
    int spring_count;
    const struct cn_thruster_def *thrusters;
    int thruster_count;
    const struct cn_constant_force_def *constant_forces;
    int constant_force_count;
    const struct cn_joint_def *joints;
    int joint_count;
    const struct cn_curve_def *curves;
    int curve_count;
    const struct cn_attribute *attributes; /* of the world, then of bodies, ascending by owner; the
                                              id of a BODY is its index */
    int attribute_count;
    struct cn_mesh *const *meshes; /* of shapes; the world holds a reference to each */
    int mesh_count;
};

void cn_world_def_init(struct cn_world_def *def);
void cn_material_def_init(struct cn_material_def *material);
void cn_body_def_init(struct cn_body_def *body);

/*
 * The defaults of a joint of this kind: axis z for a hinge and a ball, x for a slider, unlimited
 * motor force.
 */
void cn_joint_def_init(struct cn_joint_def *joint, enum cn_joint_kind kind);

/*
 * Mass, centre of mass and inertia of a dynamic body.  The shapes, except sensors, distribute the
 * mass by their areas, or volumes in space, and densities.  A given mass scales that sum; without
 * densities the mass is 1 kg.  A given inertia replaces that of the shapes.  A given centre
 * replaces theirs and leaves the inertia unchanged: both are about that centre.
 */
struct cn_mass_properties cn_body_def_weigh(
    const struct cn_body_def *body, enum cn_dimension dimension);

/* Whether the body has a given inertia tensor. */
bool cn_body_def_has_tensor(const struct cn_body_def *body);

/*
 * Refuses definitions that can not be simulated, with a path in the names of scene.proto: numbers
 * not finite or out of range, masses, shapes, references, names in no table, pairs that do not fit.
 */
CN_MUST_USE enum cn_status cn_world_def_check(
    const struct cn_world_def *def, struct cn_defect *defect);

#endif
