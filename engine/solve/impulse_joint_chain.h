/*
 * impulse_joint_chain.h: long chains of joints, and those that carry much heavier bodies than they
 * are made of, solved exactly.
 *
 * One pass of sequential impulses takes news along a chain by a joint or two, so chains stretch,
 * and no softness helps: at a quarter of the substep's rate they hang through, beyond they burst.
 * But the rows of a chain make a band matrix K = J inv(M) J', which is factored in time linear in
 * its length.  So the rows that hold are solved all at once in every pass, by K = L D L' in double;
 * gaps go by bias_rate as they do elsewhere.  Limits, motors and springs go before them, joint by
 * joint.  A little softness is left, so that rows which depend on each other do no harm: the
 * diagonal of K is greater by one part in CN_CHAIN_STIFFNESS, and the impulse l bears on it.  It
 * makes a chain a hundred times as stiff as the colours do.
 *
 * A light link between heavy neighbours is pulled at both ends, and swings about its middle at
 * w^2 = F r / I (the geometric stiffness).  Beyond w h = 2 that is more than substeps can follow,
 * and what colours damp by softness bursts here.  So for the joints of a chain a body's inertia is
 * I + h^2 F r, F the last tick's tension: w h stays below 1, and where substeps resolve the swing
 * there is next to no difference.
 *
 * A chain is what hangs together by joints of moving bodies (tracks and ropes aside) and
 *
 *     is long (CN_CHAIN_LENGTH joints from end to end) or uneven (masses differ by CN_CHAIN_RATIO),
 *     has no loops, and at most two ties to what does not move (a bridge has two),
 *     and is slim: with joints in the order in which they are met from one end, each shares a body
 *     with joints not far before it, CN_CHAIN_BAND on average.
 *
 * A ragdoll is neither long nor uneven, a net has loops; both are left to the colours.  Chains do
 * not share moving bodies with each other.
 *
 * Source: Baraff, Linear-Time Dynamics using Lagrange Multipliers, SIGGRAPH 1996, with an envelope
 * in place of a tree; the order is that of Cuthill and McKee 1969; for the inertia, Andrews,
 * Teichmann and Kry, Geometric Stiffness for Real-Time Constrained Multibody Dynamics, 2017.
 */
#ifndef ENGINE_SOLVE_IMPULSE_JOINT_CHAIN_H
#define ENGINE_SOLVE_IMPULSE_JOINT_CHAIN_H

#include "engine/base/arena.h"
#include "engine/model/model.h"
#include "engine/solve/impulse_joint.h"

#define CN_CHAIN_LENGTH 12
#define CN_CHAIN_RATIO 20.0
#define CN_CHAIN_BAND 4
#define CN_CHAIN_STIFFNESS 1000.0

struct cn_impulse_joint_chains {
    int count;
    int32_t *start;   /* chain c is joint[start[c]], ..., joint[start[c + 1] - 1] */
    int32_t *joint;   /* of the model */
    int32_t *low;     /* of each: the index in joint[] of the first that it shares a body with */
    size_t *envelope; /* of each chain: numbers in its envelope, at most */
};

/* Room for the chains of so many joints. */
void cn_impulse_joint_chains_layout(
    struct cn_impulse_joint_chains *chains, struct cn_arena *arena, int joint_max);

/*
 * Finds the chains among list[], which stands ascending, and takes them out of it; returns how many
 * are left.  Solver bodies are 0, ..., body_count - 1.  What is taken from the arena is given back;
 * a measuring arena is only measured.
 */
int cn_impulse_joint_chains_find(struct cn_impulse_joint_chains *chains,
    const struct cn_model *model, const int32_t *solver_body, int body_count, int32_t *list,
    int count, struct cn_arena *scratch);

#endif
