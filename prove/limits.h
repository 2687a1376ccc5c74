/*
 * limits.h: what one question may cost: number, why, and what happens at the wall.
 *
 * Exact numbers grow with the size of a problem, so its time can not be told from the number of its
 * bodies alone; these walls keep the usual problem within seconds, and the worst one finite.
 */
#ifndef PROVE_LIMITS_H
#define PROVE_LIMITS_H

#define PV_BODIES_MAX 1024   /* refused: a pair test is quadratic */
#define PV_CONTACTS_MAX 4096 /* refused: the first guess at the forces is a dense table */
#define PV_TABLE_MAX 64000000 /* entries of that table, 512 MB; refused */

/*
 * Multiplications of exact numbers, each counted as often as its longest operand has words of 64
 * bits.  At the wall: the answer is not found, which is an answer of its own (PV_UNDECIDED).
 */
#define PV_WORK_MAX 4000000000ull

#endif
