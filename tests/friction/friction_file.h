/*
 * friction_file.h: reads the friction and complementarity problems of ../shared/truth/friction.
 *
 * A file is text with numbers separated by white space.  Text after the last needed number is
 * ignored:
 *
 *     friction   dimension (2 or 3), contacts, storage, W, q, mu of each contact
 *     rolling    dimension 5, and after mu the lengths mu_r of each contact: two more rows for a
 *                contact, the moments against rolling
 *     lcp        n, storage, M, q                         (files whose name begins with lcp_)
 *     global     dimension, contacts, then each with its storage M and H, then q, b, mu: the
 *                problem M v = H r + q, u = H'v + b (files whose name begins with gf or grf), of
 *                which the local form W = H' inv(M) H, H' inv(M) q + b is made
 *
 *     storage 0  rows, columns, rows, columns, entries by columns
 *     storage 1  sparse blocks: row and column counts, blocks; block rows and columns; where each
 *                block row and column ends; the counts and indices of a compressed row format;
 *                then each block, its number first, by columns
 *     storage 2  what CSparse prints of a matrix, by columns or entry by entry
 *
 * The rows of a contact stand together: normal, tangent, tangent, rolling, rolling.  w = W r + q is
 * our a = A f + b, with the same signs.
 */
#ifndef TESTS_FRICTION_FRICTION_FILE_H
#define TESTS_FRICTION_FRICTION_FILE_H

#include "engine/problem/matrix_problem.h"

struct friction_file {
    int n;
    double *A; /* NULL: A is sparse, as it is where the file gives it in sparse blocks */
    int *start, *column;
    double *entry;
    struct cn_sparse_matrix sparse;
    double *b, *friction;
    unsigned char *tag;
    struct cn_matrix_problem problem;
};

/* False, with nothing to finish, when the file can not be read as one. */
bool friction_file_read(struct friction_file *file, const char *path, bool lcp);

/*
 * The measure that Siconos takes of an answer r, written from its definition: with u = W r + q, K
 * the cones of friction and n the normal directions,
 *
 *     |r - P_K(r - u - (mu |u_T| + mu_r |u_R|) n)| / max(|q|, |r|, |u|)
 *
 * with all norms Euclidean, of all rows; K also limits the moments, |m| <= mu_r r_N.
 * It does not use the engine's judge.  If r is not finite, the measure is infinite or NaN.
 */
double friction_file_measure(const struct friction_file *file, const double *r);
void friction_file_finish(struct friction_file *file);

#endif
