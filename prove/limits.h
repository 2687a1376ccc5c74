/*
 * limits.h: the limits of one question; each with its reason and its behaviour when reached.
 *
 * Exact numbers grow with the size of a problem, so the number of bodies alone does not tell its
 * time.  These limits keep the usual problem within seconds, and the worst one finite.
 */
#ifndef PROVE_LIMITS_H
#define PROVE_LIMITS_H

#define PV_BODIES_MAX 2048    /* more are refused: the search for pairs is quadratic */
#define PV_CONTACTS_MAX 32768 /* more are refused: a contact takes some 20 KB of memory */

/* Entries of the simplex's dense table (32 MB).  A larger table is not tried after face.h fails. */
#define PV_TABLE_MAX 4000000

/* Contacts for first accelerations; more are refused, as the tables of fractions are dense. */
#define PV_START_CONTACTS_MAX 512

/* Entries of a table for which the simplex is quick: its exact answer is tried before bounds. */
#define PV_TABLE_QUICK 250000

/*
 * Work (as defined below) after which a sparse system is given up.  With slanted normals a margin
 * has 10^5 bits.  Bounds of a few digits are found instead (bounds.h); they may take more work.
 */
#define PV_FACE_WORK_MAX 100000000ull
#define PV_BOUNDS_WORK_MAX 1000000000ull

/* Work of the exact simplex, the last method; it is not tried if the mean number has more words. */
#define PV_SIMPLEX_WORK_MAX 500000000ull
#define PV_SIMPLEX_WORDS_MAX 2ull

/* Bits of an integer of a sparse system; a system with longer ones is given up at once. */
#define PV_ROW_BITS_MAX 16384

/*
 * Work: multiplications of exact numbers, each times the 64-bit words of its operands.  If the
 * limit is reached, the outcome is PV_UNDECIDED.
 */
#define PV_WORK_MAX 4000000000ull

#endif
