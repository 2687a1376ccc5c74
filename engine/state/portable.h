/*
 * portable.h: a world's state in a form that every version of the physics can read.
 *
 * An image (image.h) is read only by the version of the physics that wrote it, and gives the same
 * bits.  The portable form holds the data that every version of the physics has: the bodies and
 * joints, the poses and velocities of the bodies, the settings, the time, and the held inputs.  It
 * leaves out a solver's internal data: impulses of contacts, the error control's next step, contact
 * features.  A world that is read from it continues from that state, but not with the same bits.
 *
 *      0   4  magic, the bytes "CNPF"
 *      4   4  version of this layout, 1
 *      8   4  version of the physics that wrote it
 *     12   4  number of tables
 *     16      the tables, in any order, each:
 *                 kind u32, bytes of one row u32, number of rows u32, the rows
 *
 * Everything is little-endian, field after field without padding.  Fields are
 *
 *     f64  a double       f32  a float        u64, u32, i32  integers     u8  a byte
 *     vec  3 f64: x y z   quat 4 f64: w x y z    name  32 bytes, zeros behind the text
 *
 * and rows are (fields that are a list in portable_rows.h keep that list's order):
 *
 *     1 scene       i32 dimension (0 planar, 1 spatial); i32 bodies, shapes, joints, materials,
 *                   springs, thrusters of the scene; i32 body, shape, joint slots now; f64 smallest
 *                   length [m]; i32 constant forces of the scene.  One row.
 *     2 settings    vec gravity; f64 damping linear, angular, gravitation, time rate; u8 collision,
 *                   combine restitution, combine friction, minimum norm; i32 substeps; u8 sleep;
 *                   i32 collision iterations, contact iterations, contact sweeps, shock passes,
 *                   literal, shuffle; name stepper; name solver; u8 has a resting velocity; f64
 *                   that.  One row.
 *     3 clock       u64 tick; f64 time; u64 rate tick; f64 rate time.  One row.
 *     4 material    f64 friction, static, restitution, rolling, spinning; vec surface velocity.
 *                   One row for each of the scene's materials.
 *     5 body2       i32 slot; u8 source (enum cn_body_source); u32 generation; u8 type; u8
 *                   quarantined; f32 still time; i32 island, -1 awake; f64 x, y, angle, velocity x,
 *                   y, angular velocity.  One row for each body of a planar world.
 *     6 body3       the same up to the island, then vec position, quat orientation, vec velocity,
 *                   vec angular velocity.  Of a spatial one.
 *     7 free body   i32 slot; u32 generation.  One row for each body slot that is empty.
 *     8 filter      i32 slot; i32 shape of the body's; u64 category; u64 mask; i32 group.  Of the
 *                   shapes of bodies of the scene that are CHANGED.
 *     9 made        i32 slot; i32 first shape slot; i32 shapes; the body's definition.  One row for
 *                   each body that was made since the scene.
 *    10 shape       a shape's definition; then f64 radius, length; vec size, normal; f64 offset;
 *                   u8 closed; i32 mesh; i32 points.  Those of the made bodies, in their order.
 *    11 point       vec.  Those of these shapes, in their order.
 *    12 joint       i32 slot; u8 source; u32 generation; f64 place; 9 f64 force.  Each that is
 *                   there.
 *    13 free joint  i32 slot; u32 generation.  One row for each joint slot that is empty.
 *    14 made joint  i32 slot; the joint.  One row for each that was made since the scene.
 *    15 spring      u8 absent.  One row for each of the scene's.
 *    16 thruster    u8 absent.  The same.
 *    17 held        an input that is held, ascending by (source, slot).
 *    18 within      i32 sensor; i32 shape that is within it.  Or two shapes that touch, ascending.
 *    19 touch       i32 shape; i32 shape; u32 pieces.  Pairs that touch: what sleeps on what.
 *    20 constant force  u8 absent.  One row for each of the scene's.
 *    21 attribute   u8 owner (0 world, 1 body, 2 session); u64 its slot or source; name; u8 kind
 *                   (1 flag, 2 integer, 3 number, 4 text, 5 bytes); u16 size; u8 flag; i64 integer;
 *                   f64 number; 256 bytes, zeros behind the size.  Ascending; a world without
 *                   attributes has no such table.
 *    22 move        i32 body; u64 tick at which it has the pose; vec position of the centre of
 *                   mass; f64 angle; quat orientation.  Ascending by body; no table without rows.
 *    23 shape more  i32 row of table shape; f64 hit speed; u8 force events; f64 force; u8 stay
 *                   events; u8 one-way; vec its normal.  Of shapes that have one of these; no table
 *                   without rows.  Which shapes pass through one-way shapes is not stored: those
 *                   that overlap do.
 *
 * How it grows: fields are added at the end of a row, and tables get new kinds.  A reader uses the
 * fields that it knows; fields that a row lacks are zero; it skips tables that it does not know.  A
 * change that a reader must not skip raises the version of the layout, and readers keep reading all
 * lower versions.
 *
 * There is no checksum: the program that stores the bytes adds one
 * (server/store/format/checkpoint.h).
 */
#ifndef ENGINE_STATE_PORTABLE_H
#define ENGINE_STATE_PORTABLE_H

#include "engine/world/world.h"

/* The layout's version. */
#define CN_PORTABLE_VERSION 1

/*
 * The world as it is between two ticks: the size in bytes, and the bytes; 0: `size` is too small.
 */
size_t cn_world_portable_size(const struct cn_world *world);
size_t cn_world_portable_write(const struct cn_world *world, void *buffer, size_t size);

/*
 * Reads the form into a world just made from its scene.  Poses, velocities, settings, time, sleep,
 * held inputs and slots are restored; contacts begin without impulses.  An error leaves the world
 * unchanged: CN_MEMORY, or CN_IMAGE with the field and the reason.
 */
CN_MUST_USE enum cn_status cn_world_portable_read(
    struct cn_world *world, const void *bytes, size_t size, struct cn_defect *defect);

/* The version of the physics that wrote it; 0: the data does not begin like a portable form. */
uint32_t cn_portable_physics(const void *bytes, size_t size);

#endif
