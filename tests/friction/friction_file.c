#include "tests/friction/friction_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define GLOBAL_ROWS_MAX 9000 /* dense: 648 MB */
#define BLOCK_ROWS_MAX 8
#define DIMENSION_MAX 5

/* A text, and where it is read. */
struct reader {
    char *text, *at;
    bool good;
};

static double
read_number(struct reader *reader)
{
    char *end = reader->at;
    double value = strtod(reader->at, &end);
    reader->good = reader->good && end != reader->at;
    reader->at = end;
    return value;
}

static int
read_count(struct reader *reader, int max)
{
    double value = read_number(reader);
    reader->good = reader->good && 0.0 <= value && value <= max;
    return reader->good ? (int)value : 0;
}

/* A dense matrix, row by row. */
struct dense {
    int rows, columns;
    double *entry;
};

static double *
entry(struct dense *A, int i, int j)
{
    return &A->entry[(size_t)i * (size_t)A->columns + (size_t)j];
}

static bool
read_size(struct reader *reader, const struct dense *A)
{
    bool same = read_count(reader, A->rows) == A->rows;
    return read_count(reader, A->columns) == A->columns && same;
}

static void
read_dense(struct reader *reader, struct dense *A)
{
    bool same = read_size(reader, A);
    for (int j = 0; j < A->columns; j++) {
        for (int i = 0; i < A->rows; i++) {
            *entry(A, i, j) = read_number(reader);
        }
    }
    reader->good = reader->good && same;
}

static int *
read_counts(struct reader *reader, int count, int max)
{
    int *list = calloc((size_t)count + 1, sizeof(list[0]));
    for (int i = 0; i < count && list != NULL; i++) {
        list[i] = read_count(reader, max);
    }
    reader->good = reader->good && list != NULL;
    return list;
}

/* The layout of a matrix of blocks. */
struct blocks {
    int rows, columns, count;
    int *end_row, *end_column; /* where each block row and column ends */
    int *start, *index;        /* the blocks of a block row, and their block columns */
};

static void
read_layout(struct reader *reader, struct blocks *blocks, int n)
{
    blocks->count = read_count(reader, n * n);
    blocks->rows = read_count(reader, n);
    blocks->columns = read_count(reader, n);
    blocks->end_row = read_counts(reader, blocks->rows, n);
    blocks->end_column = read_counts(reader, blocks->columns, n);
    int starts = read_count(reader, n + 1), indices = read_count(reader, n * n);
    blocks->start = read_counts(reader, starts, blocks->count);
    blocks->index = read_counts(reader, indices, n - 1);
    reader->good = reader->good && starts >= blocks->rows + 1 && indices >= blocks->count;
}

static void
free_layout(struct blocks *blocks)
{
    free(blocks->end_row);
    free(blocks->end_column);
    free(blocks->start);
    free(blocks->index);
}

/* Reads the blocks of block row p to rows of A that begin at row `first` of the matrix. */
static void
read_block_row(struct reader *reader, struct dense *A, int first, const struct blocks *blocks,
    int p)
{
    int top = p == 0 ? 0 : blocks->end_row[p - 1], end = blocks->end_row[p];
    int n = blocks->count + 1;
    for (int k = blocks->start[p]; k < blocks->start[p + 1] && reader->good; k++) {
        int q = blocks->index[k];
        reader->good = read_count(reader, n) == k && q < blocks->columns && end - first <= A->rows;
        int left = q == 0 || !reader->good ? 0 : blocks->end_column[q - 1];
        for (int j = left; reader->good && j < blocks->end_column[q] && j < A->columns; j++) {
            for (int i = top; i < end; i++) {
                *entry(A, i - first, j) = read_number(reader);
            }
        }
    }
}

static void
read_blocks(struct reader *reader, struct dense *A)
{
    struct blocks blocks;
    read_layout(reader, &blocks, A->rows > A->columns ? A->rows : A->columns);
    for (int p = 0; p < blocks.rows && reader->good; p++) {
        read_block_row(reader, A, 0, &blocks, p);
    }
    free_layout(&blocks);
}

/* Appends the rows of a strip, without zeros, as rows `first` and so on of the sparse A. */
static bool
append_rows(struct friction_file *file, const struct dense *strip, int first, int count,
    size_t *room)
{
    for (int i = 0; i < count; i++) {
        int used = file->start[first + i];
        for (int j = 0; j < strip->columns; j++) {
            double value = strip->entry[(size_t)i * (size_t)strip->columns + (size_t)j];
            if (value == 0.0) {
                continue;
            }
            if ((size_t)used == *room) {
                *room = 2 * *room + 64;
                int *column = realloc(file->column, *room * sizeof(column[0]));
                file->column = column != NULL ? column : file->column;
                double *more = realloc(file->entry, *room * sizeof(more[0]));
                file->entry = more != NULL ? more : file->entry;
                if (column == NULL || more == NULL) {
                    return false;
                }
            }
            file->column[used] = j;
            file->entry[used++] = value;
        }
        file->start[first + i + 1] = used;
    }
    return true;
}

/* The same for a square A that is kept sparse: one block row at a time is dense. */
static void
read_sparse(struct reader *reader, struct friction_file *file)
{
    struct blocks blocks;
    size_t n = (size_t)file->n, room = 0;
    struct dense square = {.rows = file->n, .columns = file->n};
    struct dense strip = {BLOCK_ROWS_MAX, file->n, calloc(BLOCK_ROWS_MAX * n, sizeof(double))};
    file->start = calloc(n + 1, sizeof(file->start[0]));
    reader->good = strip.entry != NULL && file->start != NULL && read_size(reader, &square);
    read_layout(reader, &blocks, file->n);
    int done = 0;
    for (int p = 0; p < blocks.rows && reader->good; p++) {
        int count = blocks.end_row[p] - done;
        reader->good = 0 <= count && count <= BLOCK_ROWS_MAX && blocks.end_row[p] <= file->n;
        if (reader->good) {
            memset(strip.entry, 0, (size_t)count * n * sizeof(double));
            read_block_row(reader, &strip, done, &blocks, p);
            reader->good = reader->good && append_rows(file, &strip, done, count, &room);
            done += count;
        }
    }
    reader->good = reader->good && done == file->n;
    free(strip.entry);
    free_layout(&blocks);
}

static bool
skip_to(struct reader *reader, const char *text)
{
    char *found = strstr(reader->at, text);
    reader->good = reader->good && found != NULL;
    if (found != NULL) {
        reader->at = found + strlen(text);
    }
    return reader->good;
}

/* Reads a list of entries in the form that CSparse prints. */
static void
read_triplets(struct reader *reader, struct dense *A)
{
    int most = A->rows * A->columns;
    if (!skip_to(reader, "nnz:")) {
        return;
    }
    int total = read_count(reader, most);
    for (int k = 0; k < total && reader->good; k++) {
        int i = read_count(reader, A->rows - 1), j = read_count(reader, A->columns - 1);
        skip_to(reader, ":");
        double value = read_number(reader);
        if (reader->good) {
            *entry(A, i, j) += value;
        }
    }
}

static void
read_printed(struct reader *reader, struct dense *A)
{
    int n = A->columns, most = A->rows * A->columns;
    if (!skip_to(reader, "nnz:")) {
        return;
    }
    int total = read_count(reader, most), seen = 0;
    skip_to(reader, "1-norm:");
    read_number(reader);
    for (int k = 0; k < n && reader->good; k++) {
        skip_to(reader, "col ");
        int j = read_count(reader, n - 1);
        skip_to(reader, "locations ");
        int first = read_count(reader, total);
        skip_to(reader, "to ");
        int count = (int)read_number(reader) - first + 1;
        for (int p = 0; p < count && reader->good; p++, seen++) {
            int i = read_count(reader, A->rows - 1);
            skip_to(reader, ":");
            double value = read_number(reader);
            if (reader->good) {
                *entry(A, i, j) = value;
            }
        }
    }
    reader->good = reader->good && seen == total;
}

static void
read_matrix(struct reader *reader, struct dense *A, int storage)
{
    bool same = read_size(reader, A);
    reader->good = reader->good && same;
    if (!reader->good) {
        return;
    }
    switch (storage) {
    case 0:
        read_dense(reader, A);
        break;
    case 1:
        read_blocks(reader, A);
        break;
    case 2: {
        /* The origin: 0 and 1 are entries and columns, as they are printed next. */
        const char *next = strstr(reader->at, "triplet:"), *columns = strstr(reader->at, "col ");
        read_number(reader);
        if (next != NULL && (columns == NULL || next < columns)) {
            read_triplets(reader, A);
        } else {
            read_printed(reader, A);
        }
        break;
    }
    default:
        reader->good = false;
    }
}

/* Makes the problem refer to the arrays that were read. */
static void
state_problem(struct friction_file *file)
{
    file->sparse = (struct cn_sparse_matrix){file->start, file->column, file->entry};
    file->problem = (struct cn_matrix_problem){.n = file->n, .stride = file->n, .A = file->A,
        .sparse = file->A == NULL ? &file->sparse : NULL, .b = file->b, .tag = file->tag,
        .friction = file->friction};
}

/* Reads q, or b, and the coefficients; sets the tags. */
static void
read_laws(struct reader *reader, struct friction_file *file, int dimension, bool lcp)
{
    static const unsigned char tag[DIMENSION_MAX] = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_TANGENT,
        CN_ROW_ROLLING, CN_ROW_ROLLING};
    for (int i = 0; i < file->n; i++) {
        file->b[i] = read_number(reader);
        file->tag[i] = tag[i % dimension];
    }
    for (int i = 0; i < file->n && !lcp; i += dimension) {
        file->friction[i] = read_number(reader);
    }
    for (int i = 3; i < file->n && dimension == DIMENSION_MAX; i += dimension) {
        file->friction[i] = read_number(reader);
    }
}

static bool
read_problem(struct reader *reader, struct friction_file *file, bool lcp)
{
    int dimension = lcp ? 1 : read_count(reader, DIMENSION_MAX);
    int contacts = read_count(reader, 20000);
    int storage = read_count(reader, 2), n = dimension * contacts;
    bool sparse = storage == 1 && !lcp;
    size_t size = (size_t)n;
    *file = (struct friction_file){.n = n};
    file->A = sparse ? NULL : calloc(size * size + 1, sizeof(double));
    file->b = calloc(size + 1, sizeof(double));
    file->friction = calloc(size + 1, sizeof(double));
    file->tag = calloc(size + 1, sizeof(file->tag[0]));
    bool room = file->b != NULL && file->friction != NULL && file->tag != NULL;
    reader->good = reader->good && room && n > 0 && (sparse || file->A != NULL);
    reader->good = reader->good && dimension != 4;
    if (!reader->good) {
        return false;
    }
    if (sparse) {
        read_sparse(reader, file);
    } else {
        struct dense W = {n, n, file->A};
        read_matrix(reader, &W, storage);
    }
    read_laws(reader, file, dimension, lcp);
    state_problem(file);
    return reader->good;
}

/* X := inv(M) X by elimination with the largest pivots; M is used up. False: M is singular. */
static bool
solve_dense(struct dense *M, struct dense *X)
{
    for (int c = 0; c < M->rows; c++) {
        int best = c;
        for (int i = c + 1; i < M->rows; i++) {
            best = fabs(*entry(M, i, c)) > fabs(*entry(M, best, c)) ? i : best;
        }
        if (!(fabs(*entry(M, best, c)) > 0.0)) {
            return false;
        }
        for (int k = 0; k < M->columns && best != c; k++) {
            double held = *entry(M, c, k);
            *entry(M, c, k) = *entry(M, best, k);
            *entry(M, best, k) = held;
        }
        for (int k = 0; k < X->columns && best != c; k++) {
            double held = *entry(X, c, k);
            *entry(X, c, k) = *entry(X, best, k);
            *entry(X, best, k) = held;
        }
        for (int i = 0; i < M->rows; i++) {
            double factor = i == c ? 0.0 : *entry(M, i, c) / *entry(M, c, c);
            for (int k = c; k < M->columns && factor != 0.0; k++) {
                *entry(M, i, k) -= factor * *entry(M, c, k);
            }
            for (int k = 0; k < X->columns && factor != 0.0; k++) {
                *entry(X, i, k) -= factor * *entry(X, c, k);
            }
        }
    }
    for (int i = 0; i < M->rows; i++) {
        for (int k = 0; k < X->columns; k++) {
            *entry(X, i, k) /= *entry(M, i, i);
        }
    }
    return true;
}

/* W = H' inv(M) H and b = H' inv(M) q + b from Y = inv(M) [H, q]. */
static void
reduce(struct friction_file *file, struct dense *H, struct dense *Y)
{
    int n = file->n;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < H->rows; k++) {
            double h = *entry(H, k, i);
            for (int j = 0; j < n && h != 0.0; j++) {
                file->A[(size_t)i * (size_t)n + (size_t)j] += h * *entry(Y, k, j);
            }
            file->b[i] += h * *entry(Y, k, n);
        }
    }
}

/* M v = H r + q, u = H' v + b: M and H with their storage, q, b and mu. */
static bool
read_global(struct reader *reader, struct friction_file *file)
{
    int dimension = read_count(reader, DIMENSION_MAX), contacts = read_count(reader, 20000);
    int storage = read_count(reader, 2), n = dimension * contacts;
    char *at = reader->at;
    int rows = read_count(reader, GLOBAL_ROWS_MAX);
    reader->at = at;
    size_t size = (size_t)n, count = (size_t)rows;
    *file = (struct friction_file){.n = n};
    file->A = calloc(size * size + 1, sizeof(double));
    file->b = calloc(size + 1, sizeof(double));
    file->friction = calloc(size + 1, sizeof(double));
    file->tag = calloc(size + 1, sizeof(file->tag[0]));
    struct dense M = {rows, rows, calloc(count * count + 1, sizeof(double))};
    struct dense H = {rows, n, calloc(count * size + 1, sizeof(double))};
    struct dense Y = {rows, n + 1, calloc(count * (size + 1) + 1, sizeof(double))};
    bool room = file->A != NULL && file->b != NULL && file->friction != NULL &&
        file->tag != NULL && M.entry != NULL && H.entry != NULL && Y.entry != NULL;
    reader->good = reader->good && room && n > 0 && dimension != 4;
    if (reader->good) {
        read_matrix(reader, &M, storage);
        read_matrix(reader, &H, read_count(reader, 2));
        for (int k = 0; k < rows; k++) {
            for (int j = 0; j < n; j++) {
                *entry(&Y, k, j) = *entry(&H, k, j);
            }
            *entry(&Y, k, n) = read_number(reader);
        }
        read_laws(reader, file, dimension, false);
        reader->good = reader->good && solve_dense(&M, &Y);
        if (reader->good) {
            reduce(file, &H, &Y);
        }
    }
    free(M.entry);
    free(H.entry);
    free(Y.entry);
    state_problem(file);
    return reader->good;
}

static char *
read_text(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return NULL;
    }
    size_t used = 0, size = 1 << 16;
    char *text = malloc(size + 1);
    while (text != NULL) {
        used += fread(text + used, 1, size - used, stream);
        if (used < size) {
            text[used] = '\0';
            break;
        }
        size *= 2;
        char *more = realloc(text, size + 1);
        if (more == NULL) {
            free(text);
        }
        text = more;
    }
    fclose(stream);
    return text;
}

bool
friction_file_read(struct friction_file *file, const char *path, bool lcp)
{
    char *text = read_text(path);
    if (text == NULL) {
        return false;
    }
    struct reader reader = {.text = text, .at = text, .good = true};
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    bool global = strncasecmp(name, "gf", 2) == 0 || strncasecmp(name, "grf", 3) == 0;
    bool good = global && read_global(&reader, file);
    if (!good) { /* some that are named so have been reduced already */
        if (global) {
            friction_file_finish(file);
        }
        reader = (struct reader){.text = text, .at = text, .good = true};
        good = read_problem(&reader, file, lcp);
    }
    free(text);
    if (!good) {
        friction_file_finish(file);
    }
    return good;
}

/* A contact's limits: on |x_T|, rows 1 and 2, and on |x_R|, rows 3 and 4; for each unit of x_N. */
struct cone {
    double mu, roll;
    double tangent, turn; /* |x_T| and |x_R| */
};

static void
shorten(double *x, double length, double limit)
{
    x[0] *= limit / length;
    x[1] *= limit / length;
}

/*
 * Projects x, normal part first, on the cone |x_T| <= mu x_N, |x_R| <= mu_r x_N: on both limits, or
 * on one of them.
 */
static void
project_on_cone(struct cone cone, double x[DIMENSION_MAX])
{
    double mu = cone.mu, roll = cone.roll;
    cone.tangent = sqrt(x[1] * x[1] + x[2] * x[2]);
    cone.turn = sqrt(x[3] * x[3] + x[4] * x[4]);
    if (mu * cone.tangent + roll * cone.turn <= -x[0]) {
        memset(x, 0, DIMENSION_MAX * sizeof(x[0]));
        return;
    }
    if (cone.tangent <= mu * x[0] && cone.turn <= roll * x[0]) {
        return;
    }
    double both = (x[0] + mu * cone.tangent + roll * cone.turn) / (1.0 + mu * mu + roll * roll);
    double slid = (x[0] + mu * cone.tangent) / (1.0 + mu * mu);
    double rolled = (x[0] + roll * cone.turn) / (1.0 + roll * roll);
    if (cone.tangent > mu * both && cone.turn > roll * both) {
        x[0] = both;
        shorten(x + 1, cone.tangent, mu * both);
        shorten(x + 3, cone.turn, roll * both);
    } else if (cone.tangent > mu * slid && cone.turn <= roll * slid) {
        x[0] = slid;
        shorten(x + 1, cone.tangent, mu * slid);
    } else {
        x[0] = rolled;
        shorten(x + 3, cone.turn, roll * rolled);
    }
}

/* b_i + (A r)_i */
static double
rate_of(const struct friction_file *file, int i, const double *r)
{
    long double rate = (long double)file->b[i];
    for (int k = file->A == NULL ? file->start[i] : 0; file->A == NULL && k < file->start[i + 1];
         k++) {
        rate += (long double)file->entry[k] * (long double)r[file->column[k]];
    }
    for (int j = 0; file->A != NULL && j < file->n; j++) {
        double A_ij = file->A[(size_t)i * (size_t)file->n + (size_t)j];
        rate += (long double)A_ij * (long double)r[j];
    }
    return (double)rate;
}

double
friction_file_measure(const struct friction_file *file, const double *r)
{
    double sum = 0.0, q = 0.0, of_r = 0.0, of_u = 0.0;
    int n = file->n, count;
    for (int i = 0; i < n; i += count) {
        double u[DIMENSION_MAX] = {0}, x[DIMENSION_MAX] = {0};
        for (count = 1; i + count < n && cn_row_follows((enum cn_row_tag)file->tag[i + count]);) {
            count++;
        }
        for (int k = 0; k < count; k++) {
            u[k] = rate_of(file, i + k, r);
            q += file->b[i + k] * file->b[i + k];
            of_r += r[i + k] * r[i + k];
            of_u += u[k] * u[k];
        }
        struct cone cone = {.mu = file->friction[i]};
        cone.roll = count == DIMENSION_MAX ? file->friction[i + 3] : 0.0;
        double sliding = sqrt(u[1] * u[1] + u[2] * u[2]), turning = sqrt(u[3] * u[3] + u[4] * u[4]);
        for (int k = 0; k < count; k++) {
            x[k] = r[i + k] - u[k] - (k == 0 ? cone.mu * sliding + cone.roll * turning : 0.0);
        }
        project_on_cone(cone, x);
        for (int k = 0; k < count; k++) {
            sum += (r[i + k] - x[k]) * (r[i + k] - x[k]);
        }
    }
    double scale = sqrt(fmax(q, fmax(of_r, of_u)));
    return scale > 0.0 ? sqrt(sum) / scale : sqrt(sum);
}

void
friction_file_finish(struct friction_file *file)
{
    free(file->A);
    free(file->start);
    free(file->column);
    free(file->entry);
    free(file->b);
    free(file->friction);
    free(file->tag);
    *file = (struct friction_file){0};
}
