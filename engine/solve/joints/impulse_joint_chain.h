/*
 * impulse_joint_chain.h: exact solution of chains of joints that are long, or that carry bodies
 * much heavier than their links.
 *
 * One pass of sequential impulses propagates a change along a chain by a joint or two, so chains
 * stretch.  Softness does not help: at a quarter of the substep's rate chains sag, and with a
 * higher frequency they burst.  But the rows of a chain make a band matrix K = J inv(M) J', which
 * is factored in time linear in the chain's length.  So every pass solves all rows that hold at
 * once, by K = L D L' in double; gaps use bias_rate as elsewhere.  Limits, motors and springs are
 * solved before them, joint by joint.  A little softness remains, so that rows which depend on each
 * other do no harm: the diagonal of K is greater by one part in CN_CHAIN_STIFFNESS, and the impulse
 * l acts against it.  It makes a chain a hundred times as stiff as the colours do.
 *
 * A light link between heavy neighbours is pulled at both ends, and swings about its middle at w^2
 * = F r / I (the geometric stiffness).  Substeps can not follow a swing with w h above 2.  The
 * softness of the colours damps it, but here it would burst.  So for the joints of a chain a body's
 * inertia is I + h^2 F r, with F the last tick's tension.  Then w h stays below 1.  Where substeps
 * resolve the swing, the difference is negligible.
 *
 * A chain is a set of moving bodies connected by joints (except tracks and ropes) that
 *
 *     is long (CN_CHAIN_LENGTH joints from end to end) or uneven (masses differ by CN_CHAIN_RATIO)
 *     or has a thin joint (impulse_joint_thin.c), which may be its only one,
 *     has no loops, and at most two ties to bodies that do not move (a bridge has two),
 *     and is slim: with joints in the order in which a walk from one end reaches them, each shares
 *     a body with joints not far before it, CN_CHAIN_BAND on average.
 *
 * A ragdoll is not long, uneven or thin, and a net has loops; the colours solve both.  Chains share
 * no moving bodies.
 *
 * Source: Baraff, Linear-Time Dynamics using Lagrange Multipliers, SIGGRAPH 1996, with an envelope
 * in place of a tree.  The order is that of Cuthill and McKee 1969.  For the inertia: Andrews,
 * Teichmann and Kry, Geometric Stiffness for Real-Time Constrained Multibody Dynamics, 2017.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_CHAIN_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_CHAIN_H

#include "engine/base/arena.h"
#include "engine/model/model.h"
#include "engine/solve/joints/impulse_joint_job.h"

#define CN_CHAIN_LENGTH 12
#define CN_CHAIN_RATIO 20.0
#define CN_CHAIN_BAND 4
#define CN_CHAIN_STIFFNESS 1000.0

/*
 * Invariants: 1. start[0] is 0 and start[] ascends.  2. low[k] is at most k, both counted from the
 * chain's start.  3. Chains share no moving bodies, and a joint is in one chain at most.
 */
struct cn_impulse_joint_chains {
    int count;
    int32_t *start;   /* chain c is joint[start[c]], ..., joint[start[c + 1] - 1] */
    int32_t *joint;   /* of the model */
    int32_t *low;     /* of each joint: the first joint of the chain that shares a body with it */
    size_t *envelope; /* of each chain: the most entries of its envelope */
};

/* Takes the memory for the chains of joint_max joints. */
void cn_impulse_joint_chains_layout(
    struct cn_impulse_joint_chains *chains, struct cn_arena *arena, int joint_max);

/*
 * Finds the chains among list[], which is ascending, and removes their joints from it.  Returns the
 * number of joints left.  Solver bodies are 0, ..., body_count - 1.  Memory taken from the arena is
 * given back; a measuring arena is only measured.
 */
int cn_impulse_joint_chains_find(struct cn_impulse_joint_chains *chains,
    const struct cn_model *model, const int32_t *solver_body, int body_count, int32_t *list,
    int count, struct cn_arena *scratch);

#endif
