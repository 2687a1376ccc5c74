#include "tests/friction/friction_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static double *
entry(struct friction_file *file, int i, int j)
{
    return &file->A[(size_t)i * (size_t)file->n + (size_t)j];
}

static void
read_dense(struct reader *reader, struct friction_file *file)
{
    int n = file->n;
    bool square = read_count(reader, n) == n && read_count(reader, n) == n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            *entry(file, i, j) = read_number(reader);
        }
    }
    reader->good = reader->good && square;
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

/* One block, of rows and columns that end where the lists say. */
static void
read_block(struct reader *reader, struct friction_file *file, const int *end_row,
    const int *end_column, int p, int q)
{
    int row = p == 0 ? 0 : end_row[p - 1], column = q == 0 ? 0 : end_column[q - 1];
    for (int j = column; j < end_column[q]; j++) {
        for (int i = row; i < end_row[p]; i++) {
            double value = read_number(reader);
            if (reader->good) {
                *entry(file, i, j) = value;
            }
        }
    }
}

static void
read_blocks(struct reader *reader, struct friction_file *file)
{
    int n = file->n;
    int blocks = read_count(reader, n * n), rows = read_count(reader, n);
    int columns = read_count(reader, n);
    int *end_row = read_counts(reader, rows, n), *end_column = read_counts(reader, columns, n);
    int starts = read_count(reader, n + 1), indices = read_count(reader, n * n);
    int *start = read_counts(reader, starts, blocks), *index = read_counts(reader, indices, n - 1);
    reader->good = reader->good && starts >= rows + 1 && indices >= blocks;
    for (int p = 0; p < rows && reader->good; p++) {
        for (int k = start[p]; k < start[p + 1] && reader->good; k++) {
            reader->good = read_count(reader, n * n) == k && index[k] < columns;
            if (reader->good) {
                read_block(reader, file, end_row, end_column, p, index[k]);
            }
        }
    }
    free(end_row);
    free(end_column);
    free(start);
    free(index);
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

static void
read_printed(struct reader *reader, struct friction_file *file)
{
    int n = file->n;
    if (!skip_to(reader, "nnz:")) {
        return;
    }
    int total = read_count(reader, n * n), seen = 0;
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
            int i = read_count(reader, n - 1);
            skip_to(reader, ":");
            double value = read_number(reader);
            if (reader->good) {
                *entry(file, i, j) = value;
            }
        }
    }
    reader->good = reader->good && seen == total;
}

static void
read_matrix(struct reader *reader, struct friction_file *file, int storage)
{
    int n = file->n;
    bool square = read_count(reader, n) == n && read_count(reader, n) == n;
    reader->good = reader->good && square;
    if (!reader->good) {
        return;
    }
    switch (storage) {
    case 0:
        read_dense(reader, file);
        break;
    case 1:
        read_blocks(reader, file);
        break;
    case 2:
        read_number(reader); /* the origin of a sparse matrix: by columns */
        read_printed(reader, file);
        break;
    default:
        reader->good = false;
    }
}

static bool
read_problem(struct reader *reader, struct friction_file *file, bool lcp)
{
    int dimension = lcp ? 1 : read_count(reader, 3), contacts = read_count(reader, 20000);
    int storage = read_count(reader, 2), n = dimension * contacts;
    size_t size = (size_t)n;
    *file = (struct friction_file){.n = n};
    file->A = calloc(size * size + 1, sizeof(double));
    file->b = calloc(size + 1, sizeof(double));
    file->friction = calloc(size + 1, sizeof(double));
    file->tag = calloc(size + 1, sizeof(file->tag[0]));
    bool room = file->A != NULL && file->b != NULL && file->friction != NULL && file->tag != NULL;
    reader->good = reader->good && room && n > 0;
    if (!reader->good) {
        return false;
    }
    read_matrix(reader, file, storage);
    for (int i = 0; i < n; i++) {
        file->b[i] = read_number(reader);
        file->tag[i] = i % dimension == 0 ? CN_ROW_NORMAL : CN_ROW_TANGENT;
    }
    for (int i = 0; i < n && !lcp; i += dimension) {
        file->friction[i] = read_number(reader);
    }
    file->problem = (struct cn_matrix_problem){.n = n, .stride = n, .A = file->A, .b = file->b,
        .tag = file->tag, .friction = file->friction};
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
    bool good = read_problem(&reader, file, lcp);
    free(text);
    if (!good) {
        friction_file_finish(file);
    }
    return good;
}

void
friction_file_finish(struct friction_file *file)
{
    free(file->A);
    free(file->b);
    free(file->friction);
    free(file->tag);
    *file = (struct friction_file){0};
}
