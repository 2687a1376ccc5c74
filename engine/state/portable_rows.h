/*
 * portable_rows.h: the tables of the portable form (portable.h) and the fields of their rows.
 *
 * These lists are a file format.  They are separate from those of fields.h, which change with the
 * physics.  Fields are only ever added, at the end of a list.
 */
#ifndef ENGINE_STATE_PORTABLE_ROWS_H
#define ENGINE_STATE_PORTABLE_ROWS_H

#include "engine/state/walk_inside.h"

#define CN_PORTABLE_MAGIC "CNPF"
#define CN_PORTABLE_HEADER_SIZE 16
#define CN_PORTABLE_TABLE_SIZE 12 /* of the head of a table */

/*
 * Enumerator, the row's function, bytes of a row in the table's first version, largest number of
 * rows.
 */
#define CN_PORTABLE_TABLES(X)                                                                      \
    X(SCENE, portable_scene, 48, 1)                                                                \
    X(SETTINGS, portable_settings, 153, 1)                                                         \
    X(CLOCK, portable_clock, 32, 1)                                                                \
    X(MATERIAL, portable_material, 64, CN_MATERIALS_MAX)                                           \
    X(BODY2, portable_body2, 67, CN_BODIES_MAX)                                                    \
    X(BODY3, portable_body3, 123, CN_BODIES_MAX)                                                   \
    X(FREE_BODY, portable_free, 8, CN_BODIES_MAX)                                                  \
    X(FILTER, portable_filter, 28, CN_SHAPES_MAX)                                                  \
    X(MADE, portable_made, 128, CN_BODIES_MAX)                                                     \
    X(SHAPE, portable_shape, 182, CN_SHAPES_MAX)                                                   \
    X(POINT, portable_point, 24, CN_PORTABLE_POINTS_MAX)                                           \
    X(JOINT, portable_joint, 89, CN_JOINTS_MAX)                                                    \
    X(FREE_JOINT, portable_free, 8, CN_JOINTS_MAX)                                                 \
    X(MADE_JOINT, portable_made_joint, 301, CN_JOINTS_MAX)                                         \
    X(SPRING, portable_spring, 1, CN_FORCES_MAX)                                                   \
    X(THRUSTER, portable_thruster, 1, CN_FORCES_MAX)                                               \
    X(HELD, portable_held, 98, CN_HELD_MAX)                                                        \
    X(WITHIN, portable_within, 8, CN_TOUCHING_MAX)                                                 \
    X(TOUCH, portable_touch, 12, CN_TOUCHING_MAX)                                                  \
    X(CONSTANT_FORCE, portable_constant_force, 1, CN_FORCES_MAX)                                   \
    X(ATTRIBUTE, portable_attribute, 317, CN_ATTRIBUTES_MAX)                                       \
    X(MOVE, portable_move, 76, CN_MOVES_MAX)                                                       \
    X(SHAPE_MORE, portable_shape_more, 47, CN_SHAPES_MAX)

/*
 * Points of shapes of bodies made after the scene.  Each takes 24 bytes, so a file can not claim
 * many points without as many bytes.
 */
#define CN_PORTABLE_POINTS_MAX (CN_SHAPES_MAX * 64)

#define X(NAME, function, size, most) CN_PORTABLE_##NAME,
enum cn_portable_table { CN_PORTABLE_NONE, CN_PORTABLE_TABLES(X) CN_PORTABLE_TABLE_END };
#undef X
#define CN_PORTABLE_TABLE_COUNT (CN_PORTABLE_TABLE_END - 1)

struct cn_portable_scene {
    int32_t dimension, bodies, shapes, joints, materials, springs, thrusters;
    int32_t body_slots, shape_slots, joint_slots;
    double length_min;
    int32_t constant_forces;
};
#define CN_PORTABLE_SCENE_FIELDS(X)                                                                \
    X(I32, dimension)                                                                              \
    X(I32, bodies)                                                                                 \
    X(I32, shapes)                                                                                 \
    X(I32, joints)                                                                                 \
    X(I32, materials)                                                                              \
    X(I32, springs)                                                                                \
    X(I32, thrusters)                                                                              \
    X(I32, body_slots)                                                                             \
    X(I32, shape_slots)                                                                            \
    X(I32, joint_slots)                                                                            \
    X(F64, length_min)                                                                             \
    X(I32, constant_forces)
WALK_STRUCT(portable_scene, struct cn_portable_scene, CN_PORTABLE_SCENE_FIELDS)

#define CN_PORTABLE_SETTINGS_FIELDS(X)                                                             \
    X(VEC3, gravity)                                                                               \
    X(F64, damping_linear)                                                                         \
    X(F64, damping_angular)                                                                        \
    X(F64, gravitation)                                                                            \
    X(F64, time_rate)                                                                              \
    X(ENUM, collision)                                                                             \
    X(ENUM, combine_restitution)                                                                   \
    X(ENUM, combine_friction)                                                                      \
    X(BOOL, minimum_norm)                                                                          \
    X(I32, substeps)                                                                               \
    X(BOOL, sleep)                                                                                 \
    X(I32, propagation.collision_iterations)                                                       \
    X(I32, propagation.contact_iterations)                                                         \
    X(I32, propagation.contact_sweeps)                                                             \
    X(I32, propagation.shock_passes)                                                               \
    X(I32, propagation.literal)                                                                    \
    X(I32, propagation.shuffle)                                                                    \
    X(NAME, stepper)                                                                               \
    X(NAME, solver)                                                                                \
    X(BOOL, has_resting_velocity)                                                                  \
    X(F64, resting_velocity)
WALK_STRUCT(portable_settings, struct cn_settings, CN_PORTABLE_SETTINGS_FIELDS)

#define CN_PORTABLE_CLOCK_FIELDS(X)                                                                \
    X(U64, tick)                                                                                   \
    X(F64, time)                                                                                   \
    X(U64, rate_tick)                                                                              \
    X(F64, rate_time)
WALK_STRUCT(portable_clock, struct cn_clock, CN_PORTABLE_CLOCK_FIELDS)

#define CN_PORTABLE_MATERIAL_FIELDS(X)                                                             \
    X(F64, friction)                                                                               \
    X(F64, static_friction)                                                                        \
    X(F64, restitution)                                                                            \
    X(F64, rolling_friction)                                                                       \
    X(F64, spinning_friction)                                                                      \
    X(VEC3, surface_velocity)
WALK_STRUCT(portable_material, struct cn_material, CN_PORTABLE_MATERIAL_FIELDS)

/* An existing body. */
struct cn_portable_body {
    int32_t slot;
    unsigned char source; /* enum cn_body_source */
    uint32_t generation;
    enum cn_body_type type;
    bool quarantined;
    struct cn_rest rest;
    struct cn_motion motion;
};
#define CN_PORTABLE_BODY_FIELDS(X)                                                                 \
    X(I32, slot)                                                                                   \
    X(BYTE, source)                                                                                \
    X(U32, generation)                                                                             \
    X(ENUM, type)                                                                                  \
    X(BOOL, quarantined)                                                                           \
    X(F32, rest.still_time)                                                                        \
    X(I32, rest.island)
#define CN_PORTABLE_BODY2_FIELDS(X)                                                                \
    CN_PORTABLE_BODY_FIELDS(X)                                                                     \
    X(F64, motion.position.x)                                                                      \
    X(F64, motion.position.y)                                                                      \
    X(F64, motion.angle)                                                                           \
    X(F64, motion.velocity.x)                                                                      \
    X(F64, motion.velocity.y)                                                                      \
    X(F64, motion.angular_velocity.z)
#define CN_PORTABLE_BODY3_FIELDS(X)                                                                \
    CN_PORTABLE_BODY_FIELDS(X)                                                                     \
    X(VEC3, motion.position)                                                                       \
    X(QUAT, motion.orientation)                                                                    \
    X(VEC3, motion.velocity)                                                                       \
    X(VEC3, motion.angular_velocity)
WALK_STRUCT(portable_body2, struct cn_portable_body, CN_PORTABLE_BODY2_FIELDS)
WALK_STRUCT(portable_body3, struct cn_portable_body, CN_PORTABLE_BODY3_FIELDS)

/* An empty slot. */
struct cn_portable_free {
    int32_t slot;
    uint32_t generation;
};
#define CN_PORTABLE_FREE_FIELDS(X)                                                                 \
    X(I32, slot)                                                                                   \
    X(U32, generation)
WALK_STRUCT(portable_free, struct cn_portable_free, CN_PORTABLE_FREE_FIELDS)

struct cn_portable_filter {
    int32_t slot, shape;
    struct cn_filter filter;
};
#define CN_PORTABLE_FILTER_FIELDS(X)                                                               \
    X(I32, slot)                                                                                   \
    X(I32, shape)                                                                                  \
    X(U64, filter.category)                                                                        \
    X(U64, filter.mask)                                                                            \
    X(I32, filter.group)
WALK_STRUCT(portable_filter, struct cn_portable_filter, CN_PORTABLE_FILTER_FIELDS)

struct cn_portable_made {
    int32_t slot, shape_first, shape_count;
    struct cn_body_def def;
};
#define CN_PORTABLE_MADE_FIELDS(X)                                                                 \
    X(I32, slot)                                                                                   \
    X(I32, shape_first)                                                                            \
    X(I32, shape_count)                                                                            \
    X(ENUM, def.type)                                                                              \
    X(F64, def.mass)                                                                               \
    X(F64, def.inertia)                                                                            \
    X(VEC3, def.inertia_tensor.cx)                                                                 \
    X(VEC3, def.inertia_tensor.cy)                                                                 \
    X(VEC3, def.inertia_tensor.cz)                                                                 \
    X(F64, def.gravity_scale)                                                                      \
    X(F64, def.damping_linear)                                                                     \
    X(F64, def.damping_angular)                                                                    \
    X(BYTE, def.locks)                                                                             \
    X(BOOL, def.bullet)                                                                            \
    X(BOOL, def.sleepless)                                                                         \
    X(BOOL, def.has_center)                                                                        \
    X(VEC3, def.center_of_mass)
WALK_STRUCT(portable_made, struct cn_portable_made, CN_PORTABLE_MADE_FIELDS)

/* A shape of a body made after the scene; fields that its kind does not use are zero. */
struct cn_portable_shape {
    struct cn_shape_def def;
    double radius, length, offset;
    cn_vec3 size, normal;
    bool closed;
    int32_t mesh, point_count;
};
#define CN_PORTABLE_SHAPE_FIELDS(X)                                                                \
    X(ENUM, def.kind)                                                                              \
    X(I32, def.material)                                                                           \
    X(F64, def.density)                                                                            \
    X(VEC3, def.position)                                                                          \
    X(F64, def.angle)                                                                              \
    X(QUAT, def.orientation)                                                                       \
    X(BOOL, def.has_filter)                                                                        \
    X(U64, def.filter.category)                                                                    \
    X(U64, def.filter.mask)                                                                        \
    X(I32, def.filter.group)                                                                       \
    X(BOOL, def.sensor)                                                                            \
    X(BOOL, def.contact_events)                                                                    \
    X(BOOL, def.hit_events)                                                                        \
    X(F64, radius)                                                                                 \
    X(F64, length)                                                                                 \
    X(VEC3, size)                                                                                  \
    X(VEC3, normal)                                                                                \
    X(F64, offset)                                                                                 \
    X(BOOL, closed)                                                                                \
    X(I32, mesh)                                                                                   \
    X(I32, point_count)
WALK_STRUCT(portable_shape, struct cn_portable_shape, CN_PORTABLE_SHAPE_FIELDS)

struct cn_portable_shape_more {
    int32_t row;
    struct cn_shape_def def;
};
#define CN_PORTABLE_SHAPE_MORE_FIELDS(X)                                                           \
    X(I32, row)                                                                                    \
    X(F64, def.hit_speed_min)                                                                      \
    X(BOOL, def.force_events)                                                                      \
    X(F64, def.force_min)                                                                          \
    X(BOOL, def.stay_events)                                                                       \
    X(BOOL, def.one_way)                                                                           \
    X(VEC3, def.one_way_normal)
WALK_STRUCT(portable_shape_more, struct cn_portable_shape_more, CN_PORTABLE_SHAPE_MORE_FIELDS)

struct cn_portable_point {
    cn_vec3 point;
};
#define CN_PORTABLE_POINT_FIELDS(X) X(VEC3, point)
WALK_STRUCT(portable_point, struct cn_portable_point, CN_PORTABLE_POINT_FIELDS)

struct cn_portable_joint {
    int32_t slot;
    unsigned char source;
    uint32_t generation;
    struct cn_joint_state state;
};
#define CN_PORTABLE_JOINT_FIELDS(X)                                                                \
    X(I32, slot)                                                                                   \
    X(BYTE, source)                                                                                \
    X(U32, generation)                                                                             \
    X(F64, state.place)                                                                            \
    X(F64, state.force[0])                                                                         \
    X(F64, state.force[1])                                                                         \
    X(F64, state.force[2])                                                                         \
    X(F64, state.force[3])                                                                         \
    X(F64, state.force[4])                                                                         \
    X(F64, state.force[5])                                                                         \
    X(F64, state.force[6])                                                                         \
    X(F64, state.force[7])                                                                         \
    X(F64, state.force[8])
WALK_STRUCT(portable_joint, struct cn_portable_joint, CN_PORTABLE_JOINT_FIELDS)

struct cn_portable_made_joint {
    int32_t slot;
    struct cn_joint joint;
};
#define CN_PORTABLE_MADE_JOINT_FIELDS(X)                                                           \
    X(I32, slot)                                                                                   \
    X(ENUM, joint.kind)                                                                            \
    X(I32, joint.body_a)                                                                           \
    X(I32, joint.body_b)                                                                           \
    X(VEC3, joint.anchor_a)                                                                        \
    X(VEC3, joint.anchor_b)                                                                        \
    X(VEC3, joint.frame_a.cx)                                                                      \
    X(VEC3, joint.frame_a.cy)                                                                      \
    X(VEC3, joint.frame_a.cz)                                                                      \
    X(VEC3, joint.frame_b.cx)                                                                      \
    X(VEC3, joint.frame_b.cy)                                                                      \
    X(VEC3, joint.frame_b.cz)                                                                      \
    X(F64, joint.angle)                                                                            \
    X(F64, joint.length)                                                                           \
    X(I32, joint.curve)                                                                            \
    X(BOOL, joint.has_limit)                                                                       \
    X(BOOL, joint.has_motor)                                                                       \
    X(BOOL, joint.has_spring)                                                                      \
    X(BOOL, joint.collide)                                                                         \
    X(F64, joint.lower)                                                                            \
    X(F64, joint.upper)                                                                            \
    X(F64, joint.motor_speed)                                                                      \
    X(F64, joint.motor_force_max)                                                                  \
    X(F64, joint.stiffness)                                                                        \
    X(F64, joint.damping)                                                                          \
    X(F64, joint.rest)                                                                             \
    X(F64, joint.break_force)                                                                      \
    X(F64, joint.break_torque)                                                                     \
    X(F64, joint.restitution)                                                                      \
    X(BOOL, joint.has_cone)                                                                        \
    X(F64, joint.cone)                                                                             \
    X(F64, joint.friction)
WALK_STRUCT(portable_made_joint, struct cn_portable_made_joint, CN_PORTABLE_MADE_JOINT_FIELDS)

#define CN_PORTABLE_ABSENT_FIELDS(X) X(BOOL, absent)
WALK_STRUCT(portable_spring, struct cn_spring, CN_PORTABLE_ABSENT_FIELDS)
WALK_STRUCT(portable_thruster, struct cn_thruster, CN_PORTABLE_ABSENT_FIELDS)
WALK_STRUCT(portable_constant_force, struct cn_constant_force, CN_PORTABLE_ABSENT_FIELDS)

#define CN_PORTABLE_HELD_FIELDS(X)                                                                 \
    X(U64, holder.source)                                                                          \
    X(U32, holder.slot)                                                                            \
    X(U64, holder.until_tick)                                                                      \
    X(ENUM, kind)                                                                                  \
    X(I32, target)                                                                                 \
    X(ENUM, frame)                                                                                 \
    X(VEC3, point)                                                                                 \
    X(VEC3, vector)                                                                                \
    X(F64, stiffness)                                                                              \
    X(F64, damping)                                                                                \
    X(F64, force_max)
WALK_STRUCT(portable_held, struct cn_held, CN_PORTABLE_HELD_FIELDS)

#define CN_PORTABLE_MOVE_FIELDS(X)                                                                 \
    X(I32, body)                                                                                   \
    X(U64, until_tick)                                                                             \
    X(VEC3, position)                                                                              \
    X(F64, angle)                                                                                  \
    X(QUAT, orientation)
WALK_STRUCT(portable_move, struct cn_move, CN_PORTABLE_MOVE_FIELDS)

struct cn_portable_within {
    int32_t sensor, shape;
};
#define CN_PORTABLE_WITHIN_FIELDS(X)                                                               \
    X(I32, sensor)                                                                                 \
    X(I32, shape)
WALK_STRUCT(portable_within, struct cn_portable_within, CN_PORTABLE_WITHIN_FIELDS)

struct cn_portable_touch {
    int32_t a, b;
    uint32_t pieces; /* 16 bits that name the pieces of two shapes with pieces */
};
#define CN_PORTABLE_TOUCH_FIELDS(X)                                                                \
    X(I32, a)                                                                                      \
    X(I32, b)                                                                                      \
    X(U32, pieces)
WALK_STRUCT(portable_touch, struct cn_portable_touch, CN_PORTABLE_TOUCH_FIELDS)

/* An attribute; the last member is its bytes. */
struct cn_portable_attribute {
    struct cn_owner owner;
    char name[CN_NAME_SIZE];
    struct cn_value value; /* without bytes */
    char part[8][CN_NAME_SIZE];
};
_Static_assert(8 * CN_NAME_SIZE == CN_ATTRIBUTE_VALUE_MAX, "eight parts are the bytes of a value");
#define CN_PORTABLE_ATTRIBUTE_FIELDS(X)                                                            \
    X(ENUM, owner.kind)                                                                            \
    X(U64, owner.id)                                                                               \
    X(NAME, name)                                                                                  \
    X(ENUM, value.kind)                                                                            \
    X(U16, value.size)                                                                             \
    X(BOOL, value.flag)                                                                            \
    X(I64, value.integer)                                                                          \
    X(F64, value.number)                                                                           \
    X(NAME, part[0])                                                                               \
    X(NAME, part[1])                                                                               \
    X(NAME, part[2])                                                                               \
    X(NAME, part[3])                                                                               \
    X(NAME, part[4])                                                                               \
    X(NAME, part[5])                                                                               \
    X(NAME, part[6])                                                                               \
    X(NAME, part[7])
WALK_STRUCT(portable_attribute, struct cn_portable_attribute, CN_PORTABLE_ATTRIBUTE_FIELDS)

#define X(NAME, function, size, most)                                                              \
    _Static_assert(function##_size >= (size), "fields of a row are added, never taken away");
CN_PORTABLE_TABLES(X)
#undef X

#endif
