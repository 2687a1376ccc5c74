/*
 * limits.h: every limit of the engine, in one place.
 *
 * A limit has three parts: the number, the reason for the number, and what happens at the limit.
 * Relations between limits are asserted at the bottom, so that a change that breaks one does not
 * compile.
 */
#ifndef ENGINE_BASE_LIMITS_H
#define ENGINE_BASE_LIMITS_H

#include <stddef.h>

/*
 * Rows of one island up to which a solver may keep dense matrices: 8 n^2 bytes, 8 MiB at 1024.
 * Beyond the limit baraff94 continues with a sparse factor of bounded size, and without the parts
 * that need a dense A (its arbiter, minimum norm, friction).  If that does not suffice, another
 * solver solves the island (solve/table/chain.h), and an event reports it.
 */
#define CN_CONTACT_ROWS_MAX 1024

/*
 * The most contacts of one world, and the most pairs that may touch.  Memory for them grows between
 * the pieces of a tick up to this number, or up to the world's memory (CN_WORLD_MEMORY): 3 to 12
 * KiB for each contact beyond some hundred, and under newton 72 KiB for each body.  At the limit
 * the last contacts in order are left out, with an event.
 */
#define CN_CONTACTS_MAX 32768

/*
 * Pairs of shapes that touch, kept by a solver of the kind BODIES and stored in an image with 50
 * bytes each.  An image with more is refused; a world of CN_SHAPES_MAX boxes has about three for
 * each box.
 */
#define CN_TOUCHING_MAX (1 << 22)

/*
 * Bytes of one world where its definition does not set memoryMib, and the most that memoryMib may
 * be: enough for CN_CONTACTS_MAX contacts under every solver except newton, whose factor has room
 * by bodies (some 5,000 of them).  A change to a method that needs more memory for the present
 * contacts is refused.  Contacts that come later and find no room are left out, the last in order,
 * with an event.
 */
#define CN_WORLD_MEMORY ((size_t)512 << 20)
#define CN_WORLD_MEMORY_MAX ((size_t)64 << 30)

/* A world that has lost half of its bodies gives memory back if it has more than this. */
#define CN_ROOM_SHRINKS_FROM ((size_t)4 << 20)

/*
 * Limits of a definition; beyond them it is refused with the field's path.  Scenes come from
 * unknown users, so they have smaller limits of their own where a count costs memory
 * (proto/limits.h).
 */
#define CN_BODIES_MAX (1 << 20)     /* as many as shapes */
#define CN_SHAPES_MAX (1 << 20)     /* of all bodies: a shape's index has 20 bits in ids */
#define CN_SHAPES_PER_BODY_MAX 1024 /* a drum of 40 slabs, a ground of 501 boxes */
#define CN_MATERIALS_MAX 256      /* fits a byte on the wire */
#define CN_MATERIAL_PAIRS_MAX 1024 /* two of each of 44 materials; sorted by insertion */
#define CN_FORCES_MAX 1024        /* of a world: each of springs, thrusters and constant forces */
#define CN_JOINTS_MAX 65536 /* a net of 100 by 100 nodes has 19,800 */
#define CN_CURVES_MAX 64
#define CN_MESHES_MAX 256   /* of one world; each is stored once in a process */
#define CN_CURVE_POINTS_MAX 256 /* of one spline: its solve keeps two numbers each on the stack */
#define CN_POLYGON_VERTICES_MAX 64
#define CN_HULL_POINTS_MAX 256  /* points given for a hull; those inside the hull are dropped */
#define CN_HULL_VERTICES_MAX 64 /* corners of a hull: each pair of shapes looks at all of them */
#define CN_SIZE_MIN 1e-3    /* m, an extent; below it tolerances meet rounding at |x| ~ 1 km */
#define CN_SIZE_MAX 2000.0  /* m, an extent */
#define CN_COORDINATE_MAX 8000.0 /* m, |position| of a body at the start */
#define CN_MASS_MIN 1e-3    /* kg */
#define CN_MASS_MAX 1e6     /* kg */
#define CN_INERTIA_MIN 1e-12 /* kg m^2: well below that of the smallest body */
#define CN_INERTIA_MAX 1e13  /* kg m^2: that of the heaviest and largest body */
#define CN_LENGTH_MIN 1e-9   /* m: below the radius of gyration of any admitted body */
#define CN_JOINT_START_MAX 1e-3 /* part of its size by which a joint may be off at the start */
#define CN_ANGLE_MAX 1e6     /* rad: beyond it sine and cosine lose accuracy */
#define CN_TWIST_CONE_MAX 3.0 /* rad: near a swing of half a turn a ball has no twist */
#define CN_CONE_MIN 1e-3     /* rad: in a narrower cone a ball's swing has no direction */
#define CN_DENSITY_MAX 1e6  /* kg/m^2 planar, kg/m^3 spatial */
#define CN_SPEED_MAX 500.0  /* m/s at the start and by command */
#define CN_SPIN_MAX 500.0   /* rad/s at the start and by command */
#define CN_GRAVITY_MAX 1000.0 /* m/s^2 */
#define CN_GRAVITATION_MAX 1e3 /* N m^2/kg^2, of mutual gravity */
#define CN_FRICTION_MAX 10.0
#define CN_STIFFNESS_MAX 1e7 /* N/m: beyond it the error control makes the steps very small */
#define CN_DAMPING_MAX 1e5   /* N s/m and N m s */
#define CN_FORCE_MAX 1e6     /* N; torques N m */
/*
 * m, m/s, rad, rad/s of a body that moves.  At this distance a double resolves a tenth of a
 * millimetre, and free fall needs five days to reach it.  A body beyond it has run away and is held
 * fixed (QUARANTINE).
 */
#define CN_MOTION_MAX 1e12

#define CN_TICK_RATE_MIN 1.0    /* Hz */
#define CN_TICK_RATE_MAX 1000.0 /* Hz */
#define CN_TIME_RATE_MIN 0.01   /* simulated second per second */
#define CN_TIME_RATE_MAX 10.0

/* Queries: a hit costs the caller 100 bytes; beyond either limit the query is refused. */
#define CN_QUERY_HITS_MAX 256
#define CN_QUERY_COORDINATE_MAX 1e6 /* m, of its position and path: a micrometre is exact there */

/*
 * The motion that a world remembers for queries: at most this many ticks (one second at the highest
 * rate), in at most this many bytes (one second at 60 Hz of 15,000 moving bodies in space).  At the
 * limit the oldest ticks are forgotten sooner.
 */
#define CN_REWIND_TICKS_MAX 1000
#define CN_REWIND_SIZE_MAX ((size_t)64 << 20)

/* Moves of kinematic bodies to a pose; more, and longer ones, are refused. */
#define CN_MOVES_MAX 4096
#define CN_MOVE_TICKS_MAX 1000000 /* at 60 Hz four and a half hours */

/* Held inputs (forces, torques, drags, actuators) of all sessions; more are refused. */
#define CN_HELD_MAX 256

/*
 * Attributes (engine/model/attribute.h): bytes of a text or of bytes, and the numbers of one owner
 * and of a world; more are refused.  A full table takes 1.3 MB.
 */
#define CN_ATTRIBUTE_VALUE_MAX 256
#define CN_ATTRIBUTES_PER_OWNER_MAX 64
#define CN_ATTRIBUTES_MAX 4096

/*
 * Events kept for one tick: CN_EVENTS_START at first, or the number in the definition.  When the
 * room is full, further events are counted but not kept, and the following ticks have twice the
 * room, up to CN_EVENTS_MAX.
 */
#define CN_EVENTS_START 256
#define CN_EVENTS_MAX 65536
#define CN_EVENTS_RESERVED 32 /* of these, reserved for the kinds that are few in a tick */

/*
 * Rules (deed/rules) have to see the same events in every engine that repeats a world, however many
 * events it has kept before.  So a world with rules has room for CN_EVENTS_RULES at least.  Of
 * these, events of commands before a tick take at most CN_EVENTS_KEPT_MAX; more are counted.
 */
#define CN_EVENTS_RULES 8192
#define CN_EVENTS_KEPT_MAX 4096

#define CN_SUBSTEPS_MAX 64 /* of one tick: at 60 Hz a quarter of a millisecond each */
#define CN_DECAY_MAX 1e4   /* 1/s, of a body's own velocities: they vanish within a tick */
#define CN_GRAVITY_SCALE_MAX 1000.0 /* of either sign */

_Static_assert(CN_HULL_VERTICES_MAX <= 64, "faces and edges of a hull fit 8 bits");
_Static_assert(CN_CONTACT_ROWS_MAX <= 46340, "n * n must fit an int");

#endif
