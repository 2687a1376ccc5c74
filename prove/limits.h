/*
 * limits.h: what one question may cost: number, why, and what happens at the wall.
 *
 * Exact numbers grow with the size of a problem, so its time can not be told from the number of its
 * bodies alone; these walls keep the usual problem within seconds, and the worst one finite.
 */
#ifndef PROVE_LIMITS_H
#define PROVE_LIMITS_H

#define PV_BODIES_MAX 2048    /* refused: a pair test is quadratic */
#define PV_CONTACTS_MAX 32768 /* refused: memory, of some 20 KB a contact */

/* Entries of the simplex's dense table, 32 MB; beyond, what face.h does not find is not found. */
#define PV_TABLE_MAX 4000000

/* Contacts of which the first accelerations are found, by dense tables of fractions; refused. */
#define PV_START_CONTACTS_MAX 512

/* And of those to which it is quick, so that its exact answer comes before bounds are tried. */
#define PV_TABLE_QUICK 250000

/*
 * Work, as below, after which a sparse system is given up: slanted normals make a margin of 10^5
 * bits.  Bounds of a few digits are found instead (bounds.h), for which more is allowed.
 */
#define PV_FACE_WORK_MAX 100000000ull
#define PV_BOUNDS_WORK_MAX 1000000000ull

/* Work of the exact simplex, which comes last, and words of its usual number: beyond, not tried. */
#define PV_SIMPLEX_WORK_MAX 500000000ull
#define PV_SIMPLEX_WORDS_MAX 2ull

/* Bits of an integer of such a system; beyond, it is given up at once. */
#define PV_ROW_BITS_MAX 16384

/*
 * Multiplications of exact numbers, each counted as often as its longest operand has words of 64
 * bits.  At the wall: the answer is not found, which is an answer of its own (PV_UNDECIDED).
 */
#define PV_WORK_MAX 4000000000ull

#endif
