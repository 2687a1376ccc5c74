/*
 * friction_file.h: reads the friction and complementarity problems of ../shared/truth/friction.
 *
 * Text, numbers apart by white space; what follows the last one that is needed is not read:
 *
 *     friction   dimension (2 or 3), contacts, storage, W, q, mu of each contact
 *     lcp        n, storage, M, q                         (files whose name begins with lcp_)
 *
 *     storage 0  rows, columns, rows, columns, entries by columns
 *     storage 1  sparse blocks: row and column counts, blocks; block rows and columns; where each
 *                block row and column ends; the counts and indices of a compressed row format;
 *                then each block, its number first, by columns
 *     storage 2  what CSparse prints of a matrix by columns
 *
 * The rows of a contact stand together: normal, tangent, tangent.  w = W r + q is our a = A f + b,
 * with the same signs.
 */
#ifndef TESTS_FRICTION_FRICTION_FILE_H
#define TESTS_FRICTION_FRICTION_FILE_H

#include "engine/problem/matrix_problem.h"

struct friction_file {
    int n;
    double *A, *b, *friction;
    unsigned char *tag;
    struct cn_matrix_problem problem;
};

/* False, with nothing to finish, when the file can not be read as one. */
bool friction_file_read(struct friction_file *file, const char *path, bool lcp);
void friction_file_finish(struct friction_file *file);

#endif
