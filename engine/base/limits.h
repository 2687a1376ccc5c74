/*
 * limits.h: every bound of the engine, in one place.
 *
 * A limit has three parts: the number, why it is that number, and what happens at the wall.
 * Relations between limits are asserted at the bottom, so that a change that breaks one does not
 * compile.
 */
#ifndef ENGINE_BASE_LIMITS_H
#define ENGINE_BASE_LIMITS_H

/*
 * Rows of one island up to which a solver may keep dense matrices: 8 n^2 bytes, 8 MiB at 1024.
 * Beyond it baraff94 goes on with a sparse factor of bounded size and without what needs a dense A
 * (its arbiter, minimum norm); the solve's outcome says when that was not enough.
 */
#define CN_CONTACT_ROWS_MAX 1024

/*
 * Contacts, and pairs that may touch, of one world.  Room grows between the pieces of a tick up to
 * here: about 21 n^2 bytes for n contacts up to CN_CONTACT_ROWS_MAX, 3 KiB for each one beyond, 100
 * MiB in all.  At the wall, or without memory, the last ones in order are left out, with an event.
 */
#define CN_CONTACTS_MAX 32768

/*
 * Pairs of shapes that touch, of a solver of the kind BODIES: in an image, 50 bytes each.  More are
 * refused with it; a world of CN_SHAPES_MAX boxes has three each.
 */
#define CN_TOUCHING_MAX (1 << 22)

/*
 * Admission of a definition; at the wall it is refused with the field's path.  Scenes, which come
 * from strangers, have smaller bounds of their own where a count costs memory (proto/limits.h).
 */
#define CN_BODIES_MAX (1 << 20)     /* as many as shapes */
#define CN_SHAPES_MAX (1 << 20)     /* of all bodies: a shape's index has 20 bits in ids */
#define CN_SHAPES_PER_BODY_MAX 1024 /* a drum of 40 slabs, a ground of 501 boxes */
#define CN_MATERIALS_MAX 256      /* fits a byte on the wire */
#define CN_FORCES_MAX 1024        /* springs and thrusters of one world, each */
#define CN_JOINTS_MAX 65536 /* a net of 100 by 100 nodes has 19,800 */
#define CN_CURVES_MAX 64
#define CN_MESHES_MAX 256   /* of one world; each is kept once in a process */
#define CN_CURVE_POINTS_MAX 256 /* of one spline: its solve keeps two numbers each on the stack */
#define CN_POLYGON_VERTICES_MAX 64
#define CN_HULL_POINTS_MAX 256  /* given; what is within the hull of the others goes */
#define CN_HULL_VERTICES_MAX 64 /* corners of a hull: a pair of shapes looks at all of them */
#define CN_SIZE_MIN 1e-3    /* m, an extent; below it tolerances meet rounding at |x| ~ 1 km */
#define CN_SIZE_MAX 2000.0  /* m, an extent */
#define CN_COORDINATE_MAX 8000.0 /* m, |position| of a body at the start */
#define CN_MASS_MIN 1e-3    /* kg */
#define CN_MASS_MAX 1e6     /* kg */
#define CN_INERTIA_MIN 1e-12 /* kg m^2: of the smallest body, well below */
#define CN_INERTIA_MAX 1e13  /* kg m^2: of the heaviest and largest body */
#define CN_LENGTH_MIN 1e-9   /* m: below the radius of gyration of any body that is admitted */
#define CN_JOINT_START_MAX 1e-3 /* part of its size by which a joint may be off at the start */
#define CN_ANGLE_MAX 1e6     /* rad: where the accuracy of sine and cosine ends */
#define CN_DENSITY_MAX 1e6  /* kg/m^2 planar, kg/m^3 spatial */
#define CN_SPEED_MAX 500.0  /* m/s at the start and by command */
#define CN_SPIN_MAX 500.0   /* rad/s at the start and by command */
#define CN_GRAVITY_MAX 1000.0 /* m/s^2 */
#define CN_GRAVITATION_MAX 1e3 /* N m^2/kg^2, of mutual gravity */
#define CN_FRICTION_MAX 10.0
#define CN_STIFFNESS_MAX 1e7 /* N/m: beyond it the error control makes the step crawl */
#define CN_DAMPING_MAX 1e5   /* N s/m and N m s */
#define CN_FORCE_MAX 1e6     /* N; torques N m */
/*
 * m, m/s, rad, rad/s of a body that moves: here a double resolves a tenth of a millimetre, and free
 * fall needs five days to come so far.  A body beyond it has run away and is held (QUARANTINE).
 */
#define CN_MOTION_MAX 1e12

#define CN_TICK_RATE_MIN 1.0    /* Hz */
#define CN_TICK_RATE_MAX 1000.0 /* Hz */
#define CN_TIME_RATE_MIN 0.01   /* simulated second per second */
#define CN_TIME_RATE_MAX 10.0

/* Queries: a hit costs 100 bytes of the asker's; at both walls the query is refused. */
#define CN_QUERY_HITS_MAX 256
#define CN_QUERY_COORDINATE_MAX 1e6 /* m, of its place and its way: a micrometre is exact there */

/*
 * What a world remembers of its past for queries: so many ticks, a second at the highest rate, in
 * so many bytes of what moved, which is a second at 60 Hz of 15,000 bodies in space that all move;
 * at the wall the oldest ticks are forgotten sooner.
 */
#define CN_REWIND_TICKS_MAX 1000
#define CN_REWIND_SIZE_MAX ((size_t)64 << 20)

/* Held inputs (forces, torques, drags, actuators) of all sessions; at the wall: refused. */
#define CN_HELD_MAX 256

/*
 * Events kept for one tick: so many at first, or what the definition says; at the wall the newest
 * are counted, not kept, and the next ticks have twice the room, up to the last number.
 */
#define CN_EVENTS_START 256
#define CN_EVENTS_MAX 65536
#define CN_EVENTS_RESERVED 32 /* of them, left to the kinds that are few in a tick */

#define CN_SUBSTEPS_MAX 64 /* of one tick: at 60 Hz a quarter of a millisecond each */
#define CN_DECAY_MAX 1e4   /* 1/s, of a body's own velocities: gone within a tick */
#define CN_GRAVITY_SCALE_MAX 1000.0 /* either way */

_Static_assert(CN_HULL_VERTICES_MAX <= 64, "faces and edges of a hull fit 8 bits");
_Static_assert(CN_CONTACT_ROWS_MAX <= 46340, "n * n must fit an int");

#endif
