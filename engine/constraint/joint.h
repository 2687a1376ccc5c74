/*
 * joint.h: joints as rows of the one problem.
 *
 *     gap    g       [m or rad]        the error of a row
 *     rate   g'      [m/s or rad/s]    exact for any motion, also where g is not 0
 *     bias   g'' = row . (accelerations) + bias
 *
 *     kind       rows that hold (planar | spatial)      free coordinate q
 *     ball       2 | 3  pB - pA                         twist, where it is limited (space)
 *     hinge      2 | 3  pB - pA    0 | 2  axis          angle of B against A
 *     slider     1 | 2  pB - pA across the axis         pB - pA along the axis of A
 *                1 | 3  orientation
 *     fixed      2 | 3  pB - pA    1 | 3  orientation   -
 *     distance   1      |pB - pA| - length              |pB - pA|, where there is a limit; no row
 *                                                       holds it then
 *     rope       0                                      |pB - pA|, limited by the length
 *     track      1 | 2  p - c across the curve          speed along it; q itself is 0
 *
 * Limits, motors and springs act on q.  It is 0 at the start for hinges and sliders.
 *
 *     limit   NORMAL rows of gap q - lower and upper - q.  While a gap is above 0 the stepper
 *             leaves the row out; it adds the row when no gap is left, as it does for a contact.
 *     motor   BOUNDED row of rate q' - speed: the force that makes q'' = -rate / tau with tau one
 *             tick, as long as it stays within +-motor_force_max; gap is 0.  So the speed follows
 *             its target with a lag of a tick, whatever the step, and needs no infinite force.
 *     spring  a force, with potential energy: force_joint.c.
 *     friction  of a hinge: a BOUNDED row like a motor of speed 0.
 *
 * A ball in space has three more, with u the axis of its cone (fixed in A), v its twist axis (fixed
 * in B) and w = wB - wA:
 *
 *     cone      NORMAL row of gap  cone - s,  s = atan2(|u x v|, u . v),  s' = n . w with n the
 *               direction of u x v.  At s = 0 there is no n, and no row.
 *     twist     limits as above of the angle t about the axis that is left when the least rotation
 *               from u to v is taken off:
 *                   tan t = (a_z . b_y - a_y . b_z) / (a_y . b_y + a_z . b_z)
 *                   t' = (u + v) . w / (1 + u . v)
 *               It is undefined at a swing of half a turn.
 *     friction  three BOUNDED rows, w along each axis of A's frame.  So each component of the
 *               friction torque in these axes is bounded, and not its length.
 *     spring    force_joint.c
 *
 * Orientation in space.  With u fixed in A and v in B, both unit vectors, u . v = 0 is one row:
 *
 *     (u . v)' = (wB - wA) . (v x u)
 *
 * A hinge has this row for A's axis and the two directions across B's.  A slider or fixed joint has
 * it for the three pairs (x y, y z, z x) of their frames.  These rows have exact derivatives and
 * need no quaternion and no chart.  They are independent for errors below a quarter turn, which the
 * stepper never approaches.
 *
 * The angle of a hinge in space is that of atan2, in the turn nearest to the last tick's angle
 * (cn_joint_state.place).  It is tracked, so that springs and limits beyond half a turn work.  The
 * same holds for the twist of a ball.  In
 * the plane the angles of bodies are not wrapped, and so the hinge's angle is not wrapped either.
 *
 * Tracks.  With foot c, unit tangent t, curvature vector k, unit n across the curve and g = n . (p
 * - c), the foot moves by (t . p') / (1 - k . (p - c)) along the arc and n turns by -(n . k) t, so
 *
 *     g' = n . p',    bias = n . (centripetal) - (n . k) (t . p')^2 / (1 - k . (p - c))
 *
 * This is exact in the plane.  In space it is exact up to a rotation of the two n about t, which
 * mixes the two g and so has no effect where g = 0.
 *
 * Invariants: 1. A joint has at most CN_JOINT_PARTS rows, and at most as many that hold as its
 * kind says.  2. The two ends of a joint are different bodies, or one is the world.  3. A BOUNDED
 * row has lower <= upper.
 *
 * The solver must handle redundant rows (a loop of hinges in space, a joint given twice).  A joint
 * between two bodies that can not move has no rows.
 */
#ifndef ENGINE_CONSTRAINT_JOINT_H
#define ENGINE_CONSTRAINT_JOINT_H

#include "engine/constraint/row.h"
#include "engine/model/model.h"

struct cn_joint_row {
    struct cn_row row;
    enum cn_row_tag tag; /* BILATERAL; NORMAL for limits and taut ropes; BOUNDED for motors and
                            friction */
    double gap;          /* BILATERAL: to be driven to 0; NORMAL: distance left; BOUNDED: 0 */
    double rate;         /* d(gap)/dt; BOUNDED: speed minus the motor's */
    double bias;         /* d2(gap)/dt2 at zero accelerations: the velocity terms */
    double lower, upper; /* BOUNDED: least and largest force; may be infinite */
    double restitution;  /* NORMAL: for an approach faster than the resting velocity */
    uint64_t id;         /* joint and part: stable, and different from every contact's */
};

/* Parts of a joint, the low byte of a row's id. */
#define CN_JOINT_PART_LOWER 6
#define CN_JOINT_PART_UPPER 7
#define CN_JOINT_PART_MOTOR 8    /* and the friction of a HINGE */
#define CN_JOINT_PART_CONE 8     /* BALL */
#define CN_JOINT_PART_FRICTION 3 /* BALL: three parts */

_Static_assert(CN_JOINTS_MAX < 1 << 24, "a joint's index and a part fit below a contact's shapes");

/* Above every contact's id: those begin with a shape's index, which is never all ones. */
static inline uint64_t
cn_joint_id(int joint, int part)
{
    return UINT64_C(0xfffff) << 44 | (uint64_t)joint << 8 | (uint64_t)part;
}

static inline bool
cn_joint_id_is(uint64_t id)
{
    return id >> 44 == 0xfffffU;
}

/* Where the last force of a row is stored: the warm start of the next solve. */
static inline double *
cn_joint_force(const struct cn_model *model, uint64_t id)
{
    return &model->joint_state[id >> 8 & 0xffffffU].force[id & 0xffU];
}

/* The largest number of rows of all joints together. */
int cn_joint_row_count_max(const struct cn_model *model);

/*
 * Fills rows[] with the rows of all joints, in order, and returns their number.  Poses are those of
 * `motion`.
 */
int cn_joint_rows(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, struct cn_joint_row *rows);

/*
 * Updates the places of hinges, limited twists and tracks to the model's motion, after each piece
 * of a tick.
 */
void cn_joint_follow(struct cn_model *model, const cn_pose *pose);

/*
 * The free coordinate of a joint: gap holds q, rate q', row and bias its derivatives.  False where
 * the joint has no free coordinate, or where it has no direction (a rope of length zero).
 */
bool cn_joint_coordinate(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, int joint, struct cn_joint_row *row);

/* The turn of a ball in space from where its spring rests. */
struct cn_joint_turn {
    int32_t body_a, body_b; /* -1: a body that can not move, or the world */
    cn_vec3 turn;           /* rotation vector from A's frame to B's [rad] */
    cn_vec3 rate;           /* wB - wA [rad/s] */
};

void cn_joint_turn(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, int joint, struct cn_joint_turn *turn);

/* The state of a joint, for display. */
struct cn_joint_look {
    cn_vec3 point_a, point_b; /* its anchors, world; of a TRACK the foot on its curve [m] */
    cn_vec3 force;            /* on B, at point_b [N] */
    cn_vec3 torque;           /* on B, besides that force [N m] */
    double gap;               /* largest error of the rows that hold [m or rad] */
    bool has_coordinate;
    double coordinate, rate;  /* of the free coordinate; for a TRACK only the speed */
    double motor;             /* force of the motor, or friction torque of a HINGE [N or N m];
                                 0 without one */
};

/* The forces are force[], CN_JOINT_PARTS of them; NULL: those of the last solve. */
void cn_joint_look(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, int joint, const double *force, struct cn_joint_look *look);

/* ---- kinds ---- */

/* One end of a joint at a given motion. */
struct cn_joint_end {
    int32_t row_body;      /* -1: a body that can not move, or the world */
    cn_vec3 arm;           /* from the centre of mass to the anchor */
    cn_vec3 point;         /* the anchor, world [m] */
    cn_vec3 velocity;      /* of the anchor [m/s] */
    cn_vec3 spin;          /* w [rad/s] */
    cn_vec3 centripetal;   /* w x (w x arm) [m/s^2] */
    cn_mat33 frame;        /* the joint's frame, world */
    double angle;          /* of the body, planar [rad] */
};

/* A joint at a given motion. */
struct cn_joint_at {
    const struct cn_model *model;
    const struct cn_joint *joint;
    const struct cn_joint_state *state;
    bool planar;
    struct cn_joint_end a, b;
};

/*
 * A kind of joint is one file with one struct cn_joint_type, and one line in engine/model/joint.h.
 */
struct cn_joint_type {
    /* Fills gap, rate, bias and row of the rows that hold, at most 6, and returns their number. */
    int (*hold)(const struct cn_joint_at *view, struct cn_joint_row *rows);
    /* NULL where the joint has no free coordinate. */
    bool (*coordinate)(const struct cn_joint_at *view, struct cn_joint_row *row);
    /*
     * Fills the rows of limits and friction that are not along the free coordinate, at most 4, with
     * tags, bounds and, in id, their parts.  Returns their number.  NULL where a kind has no such
     * rows.
     */
    int (*beside)(const struct cn_joint_at *view, struct cn_joint_row *rows);
    int hold_planar, hold_spatial; /* largest number of rows that hold */
};

extern const struct cn_joint_type *const cn_joint_types[CN_JOINT_KIND_COUNT];

#define X(name, NAME, text) extern const struct cn_joint_type cn_joint_##name;
CN_JOINT_TABLE(X)
#undef X

/* ---- joint_row.c: the parts of which the kinds are made; d = pB - pA ---- */

/* n . d, n fixed in the world. */
void cn_joint_row_world(const struct cn_joint_at *view, cn_vec3 n, struct cn_joint_row *row);

/* n . d, n fixed in A and given in the world. */
void cn_joint_row_in_a(const struct cn_joint_at *view, cn_vec3 n, struct cn_joint_row *row);

/* u . v, u fixed in A and v in B, given in the world. */
void cn_joint_row_across(
    const struct cn_joint_at *view, cn_vec3 u, cn_vec3 v, struct cn_joint_row *row);

/* |d|; false where it is too short to have a direction. */
bool cn_joint_row_length(const struct cn_joint_at *view, struct cn_joint_row *row);

/* The angle of B against A: planar, or about A's axis. */
void cn_joint_row_angle(const struct cn_joint_at *view, struct cn_joint_row *row);

/* w . j with w = wB - wA, j fixed in A and given in the world. */
void cn_joint_row_spin(const struct cn_joint_at *view, cn_vec3 j, struct cn_joint_row *row);

/* The twist of a ball in space. */
void cn_joint_row_twist(const struct cn_joint_at *view, struct cn_joint_row *row);

/* The angle between the axes of a ball in space; false where it is too small for a direction. */
bool cn_joint_row_swing(const struct cn_joint_at *view, struct cn_joint_row *row);

/* The two or three rows that hold d at 0; the one or three that hold the relative orientation. */
int cn_joint_hold_point(const struct cn_joint_at *view, struct cn_joint_row *rows);
int cn_joint_hold_turn(const struct cn_joint_at *view, struct cn_joint_row *rows);

#endif
