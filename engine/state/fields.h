/*
 * fields.h: every field that persists from tick to tick, once.
 *
 * Image and hash walk these lists.  A field that is missing here is lost at a restore.  Two tests
 * notice that: tests/conform/test_fields.c checks each field, and test_state.c compares a restored
 * world's future with the original's.  X(kind, member): kind is how the member travels.
 *
 *     F64   double           8 bytes         U64, U32, I32   8, 4, 4 bytes; I64 8 bytes
 *     VEC3  cn_vec3         24 bytes         BOOL            1 byte
 *     QUAT  cn_quat         32 bytes         ENUM            1 byte
 *     F32   float            4 bytes         U16, BYTE       2 bytes, 1 byte, of an integer
 *     NAME  char[CN_NAME_SIZE], zeros behind the terminator
 */
#ifndef ENGINE_STATE_FIELDS_H
#define ENGINE_STATE_FIELDS_H

#define CN_FIELDS_SETTINGS(X)                                                                      \
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
    X(BOOL, has_resting_velocity)                                                                  \
    X(F64, resting_velocity)                                                                       \
    X(NAME, stepper)                                                                               \
    X(NAME, solver)

#define CN_FIELDS_CLOCK(X)                                                                         \
    X(U64, tick)                                                                                   \
    X(F64, time)                                                                                   \
    X(U64, rate_tick)                                                                              \
    X(F64, rate_time)                                                                              \
    X(F64, elapsed)                                                                                \
    X(F64, step_next)                                                                              \
    X(BOOL, mid_tick)                                                                              \
    X(BOOL, inelastic)                                                                             \
    X(BOOL, unsearched)                                                                            \
    X(BOOL, coarse)                                                                                \
    X(U32, impacts)                                                                                \
    X(U32, pieces)                                                                                 \
    X(U64, spent)

#define CN_FIELDS_MATERIAL(X)                                                                      \
    X(F64, friction)                                                                               \
    X(F64, static_friction)                                                                        \
    X(F64, restitution)                                                                            \
    X(F64, rolling_friction)                                                                       \
    X(F64, spinning_friction)                                                                      \
    X(VEC3, surface_velocity)

/* The orientation of a planar body follows from its angle. */
#define CN_FIELDS_MOTION_PLANAR(X)                                                                 \
    X(F64, position.x)                                                                             \
    X(F64, position.y)                                                                             \
    X(F64, angle)                                                                                  \
    X(F64, velocity.x)                                                                             \
    X(F64, velocity.y)                                                                             \
    X(F64, angular_velocity.z)

#define CN_FIELDS_MOTION_SPATIAL(X)                                                                \
    X(VEC3, position)                                                                              \
    X(QUAT, orientation)                                                                           \
    X(VEC3, velocity)                                                                              \
    X(VEC3, angular_velocity)

#define CN_FIELDS_BODY(X)                                                                          \
    X(BOOL, quarantined)                                                                           \
    X(BOOL, fresh)

#define CN_FIELDS_SPRING(X) X(BOOL, absent)
#define CN_FIELDS_THRUSTER(X) X(BOOL, absent)
#define CN_FIELDS_CONSTANT_FORCE(X) X(BOOL, absent)

#define CN_FIELDS_REST(X)                                                                          \
    X(F32, still_time)                                                                             \
    X(I32, island)

#define CN_FIELDS_JOINT(X)                                                                         \
    X(F64, place)                                                                                  \
    X(F64, force[0])                                                                               \
    X(F64, force[1])                                                                               \
    X(F64, force[2])                                                                               \
    X(F64, force[3])                                                                               \
    X(F64, force[4])                                                                               \
    X(F64, force[5])                                                                               \
    X(F64, force[6])                                                                               \
    X(F64, force[7])                                                                               \
    X(F64, force[8])

#define CN_FIELDS_HELD(X)                                                                          \
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

/* Where a value has bytes, they follow (section_walk.c). */
#define CN_FIELDS_ATTRIBUTE(X)                                                                     \
    X(ENUM, owner.kind)                                                                            \
    X(U64, owner.id)                                                                               \
    X(NAME, name)                                                                                  \
    X(ENUM, value.kind)                                                                            \
    X(U16, value.size)                                                                             \
    X(BOOL, value.flag)                                                                            \
    X(I64, value.integer)                                                                          \
    X(F64, value.number)

#define CN_FIELDS_MOVE(X)                                                                          \
    X(I32, body)                                                                                   \
    X(U64, until_tick)                                                                             \
    X(VEC3, position)                                                                              \
    X(F64, angle)                                                                                  \
    X(QUAT, orientation)

#define CN_FIELDS_PASSAGE(X)                                                                       \
    X(I32, a)                                                                                      \
    X(I32, b)                                                                                      \
    X(BOOL, passes)

#define CN_FIELDS_WARM_START(X)                                                                    \
    X(U64, id)                                                                                     \
    X(F64, force)

/* These follow in worlds with friction. */
#define CN_FIELDS_WARM_ACROSS(X)                                                                   \
    X(F64, across[0])                                                                              \
    X(F64, across[1])

/*
 * The definition of something made after the scene (struct cn_made, struct cn_joint), from which a
 * restored world makes it again.  structure_walk.c has the points of shapes and the sizes by kind.
 */
#define CN_FIELDS_BODY_DEF(X)                                                                      \
    X(ENUM, type)                                                                                  \
    X(F64, mass)                                                                                   \
    X(F64, inertia)                                                                                \
    X(VEC3, inertia_tensor.cx)                                                                     \
    X(VEC3, inertia_tensor.cy)                                                                     \
    X(VEC3, inertia_tensor.cz)                                                                     \
    X(F64, gravity_scale)                                                                          \
    X(F64, damping_linear)                                                                         \
    X(F64, damping_angular)                                                                        \
    X(ENUM, locks)                                                                                 \
    X(BOOL, bullet)                                                                                \
    X(BOOL, sleepless)                                                                             \
    X(BOOL, has_center)                                                                            \
    X(VEC3, center_of_mass)

#define CN_FIELDS_FILTER(X)                                                                        \
    X(U64, category)                                                                               \
    X(U64, mask)                                                                                   \
    X(I32, group)

#define CN_FIELDS_SHAPE_DEF(X)                                                                     \
    X(ENUM, kind)                                                                                  \
    X(I32, material)                                                                               \
    X(F64, density)                                                                                \
    X(VEC3, position)                                                                              \
    X(F64, angle)                                                                                  \
    X(QUAT, orientation)                                                                           \
    X(BOOL, has_filter)                                                                            \
    X(U64, filter.category)                                                                        \
    X(U64, filter.mask)                                                                            \
    X(I32, filter.group)                                                                           \
    X(BOOL, sensor)                                                                                \
    X(BOOL, contact_events)                                                                        \
    X(BOOL, hit_events)

/* Of shapes that have one of these: HAS_MORE (structure_walk.c). */
#define CN_FIELDS_SHAPE_MORE(X)                                                                    \
    X(F64, hit_speed_min)                                                                          \
    X(BOOL, force_events)                                                                          \
    X(F64, force_min)                                                                              \
    X(BOOL, stay_events)                                                                           \
    X(BOOL, one_way)                                                                               \
    X(VEC3, one_way_normal)

#define CN_FIELDS_JOINT_MADE(X)                                                                    \
    X(ENUM, kind)                                                                                  \
    X(I32, body_a)                                                                                 \
    X(I32, body_b)                                                                                 \
    X(VEC3, anchor_a)                                                                              \
    X(VEC3, anchor_b)                                                                              \
    X(VEC3, frame_a.cx)                                                                            \
    X(VEC3, frame_a.cy)                                                                            \
    X(VEC3, frame_a.cz)                                                                            \
    X(VEC3, frame_b.cx)                                                                            \
    X(VEC3, frame_b.cy)                                                                            \
    X(VEC3, frame_b.cz)                                                                            \
    X(F64, angle)                                                                                  \
    X(F64, length)                                                                                 \
    X(I32, curve)                                                                                  \
    X(BOOL, has_limit)                                                                             \
    X(BOOL, has_motor)                                                                             \
    X(BOOL, has_spring)                                                                            \
    X(BOOL, collide)                                                                               \
    X(F64, lower)                                                                                  \
    X(F64, upper)                                                                                  \
    X(F64, motor_speed)                                                                            \
    X(F64, motor_force_max)                                                                        \
    X(F64, stiffness)                                                                              \
    X(F64, damping)                                                                                \
    X(F64, rest)                                                                                   \
    X(F64, break_force)                                                                            \
    X(F64, break_torque)                                                                           \
    X(F64, restitution)

/* These follow where one of them is not 0. */
#define CN_FIELDS_JOINT_TURN(X)                                                                    \
    X(BOOL, has_cone)                                                                              \
    X(F64, cone)                                                                                   \
    X(F64, friction)

/*
 * The contact cache of a production solver: fields of each touching pair, and of each of its
 * points.  Planar, then spatial.
 */
#define CN_FIELDS_TOUCH(X)                                                                         \
    X(I32, a)                                                                                      \
    X(I32, b)

#define CN_FIELDS_PIECES(X)                                                                        \
    X(U32, flags)

#define CN_FIELDS_MANIFOLD2(X)                                                                     \
    X(BYTE, point_count)                                                                           \
    X(BYTE, persists)                                                                              \
    X(F32, rolling_impulse)                                                                        \
    X(U32, hint)

#define CN_FIELDS_POINT2(X)                                                                        \
    X(U16, feature)                                                                                \
    X(F32, normal_impulse)                                                                         \
    X(F32, tangent_impulse)

/* These follow the points, where a manifold persists; then fields for each of its points. */
#define CN_FIELDS_BASE2(X)                                                                         \
    X(F32, normal_x)                                                                               \
    X(F32, normal_y)                                                                               \
    X(F32, base.between_x)                                                                         \
    X(F32, base.between_y)                                                                         \
    X(F32, base.cosine_a)                                                                          \
    X(F32, base.sine_a)                                                                            \
    X(F32, base.cosine_b)                                                                          \
    X(F32, base.sine_b)                                                                            \
    X(F32, base_separation[0])                                                                     \
    X(F32, base_separation[1])

#define CN_FIELDS_ANCHOR2(X)                                                                       \
    X(F32, anchor_ax)                                                                              \
    X(F32, anchor_ay)                                                                              \
    X(F32, anchor_bx)                                                                              \
    X(F32, anchor_by)

#define CN_FIELDS_MANIFOLD3(X)                                                                     \
    X(BYTE, point_count)                                                                           \
    X(BYTE, persists)                                                                              \
    X(F32, tangent_impulse[0])                                                                     \
    X(F32, tangent_impulse[1])                                                                     \
    X(F32, twist_impulse)                                                                          \
    X(U32, hint)

/* These follow in worlds with rolling friction. */
#define CN_FIELDS_ROLLING3(X)                                                                      \
    X(F32, rolling_impulse[0])                                                                     \
    X(F32, rolling_impulse[1])                                                                     \
    X(F32, rolling_impulse[2])

#define CN_FIELDS_POINT3(X)                                                                        \
    X(U16, feature)                                                                                \
    X(F32, normal_impulse)

#define CN_FIELDS_BASE3(X)                                                                         \
    X(F32, normal[0])                                                                              \
    X(F32, normal[1])                                                                              \
    X(F32, normal[2])                                                                              \
    X(U32, base.turn_a[0])                                                                         \
    X(U32, base.turn_a[1])                                                                         \
    X(U32, base.turn_b[0])                                                                         \
    X(U32, base.turn_b[1])                                                                         \
    X(F32, base_separation[0])                                                                     \
    X(F32, base_separation[1])                                                                     \
    X(F32, base_separation[2])                                                                     \
    X(F32, base_separation[3])

#define CN_FIELDS_ANCHOR3(X)                                                                       \
    X(F32, anchor_a[0])                                                                            \
    X(F32, anchor_a[1])                                                                            \
    X(F32, anchor_a[2])                                                                            \
    X(F32, anchor_b[0])                                                                            \
    X(F32, anchor_b[1])                                                                            \
    X(F32, anchor_b[2])

#endif
