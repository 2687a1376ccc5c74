/*
 * friction_frame.h: a matrix problem in rotated directions of its tangents.
 *
 * Tangents are here all rows of discs: of friction, and of moments against rolling and spinning.
 * The two rows of a disc may be rotated about the contact's normal,
 *
 *     t1' = c t1 + s t2,    t2' = -s t1 + c t2
 *
 * and with them forces, accelerations, A and b.  In the plane, where a contact has one tangent,
 * nothing is rotated.
 *
 * Invariants: 1. normal[i] is a NORMAL row, one to five rows before i.  2. c and s differ from 1
 * and 0 only at the first tangent of a pair.
 */
#ifndef ENGINE_SOLVE_MATRIX_FRICTION_FRAME_H
#define ENGINE_SOLVE_MATRIX_FRICTION_FRAME_H

#include "engine/base/arena.h"
#include "engine/problem/matrix_problem.h"

struct cn_friction_frame {
    const struct cn_matrix_problem *problem;
    double *c, *s; /* n: of the first tangent of two; 1 and 0 where nothing is rotated */
    int *normal;   /* n: of a tangent row its contact's normal row, else -1 */
    double *row;   /* n: working memory */
    double *f;     /* n: working memory */
    int *place;    /* n: 0 .. n-1 */
};

void cn_friction_frame_take(struct cn_friction_frame *frame, struct cn_arena *scratch, int n);

/* Starts in the problem's own directions. */
void cn_friction_frame_begin(
    struct cn_friction_frame *frame, const struct cn_matrix_problem *problem);

/* Whether row i is the first of a disc's two tangents. */
bool cn_friction_frame_is_pair(const struct cn_friction_frame *frame, int i);

/* Rotates the pair that begins at row i: the direction (x, y) of the problem becomes the first. */
void cn_friction_frame_turn(struct cn_friction_frame *frame, int i, double x, double y);

/* Transforms values by row from the problem's directions into the frame's, and back; in place. */
void cn_friction_frame_enter(const struct cn_friction_frame *frame, double *values);
void cn_friction_frame_leave(const struct cn_friction_frame *frame, double *values);

/* Row i of A, and b, in the frame's directions. */
void cn_friction_frame_row(const struct cn_friction_frame *frame, int i, double *out);
void cn_friction_frame_b(const struct cn_friction_frame *frame, double *b);

/* a = A f + b in the frame's directions. */
void cn_friction_frame_rates(const struct cn_friction_frame *frame, const double *f, double *a);

/* The limit of a tangent row's disc, and the row's component of d; zero where nothing slides. */
double cn_friction_frame_mu(const struct cn_friction_frame *frame, int i);
double cn_friction_frame_slip(const struct cn_friction_frame *frame, int i);

/* True when the disc of tangent row i already slides. */
bool cn_friction_frame_slides(const struct cn_friction_frame *frame, int i);

#endif
