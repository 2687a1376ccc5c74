/*
 * test_friction_data.c: solves friction and complementarity problems that others have published.
 * The judge's residual must be at most 1e-8.  Friction problems must also satisfy Siconos' own
 * measure, which is computed here, independent of the judge.
 *
 * The files are in ../shared/truth/friction beside the source tree, or in the folder that the
 * environment variable CAIRN_FRICTION_DATA names.  They are not part of the project; without them
 * the test is skipped.  Every *.dat file is run: friction by newton, lcp_* by newton and by Lemke's
 * pivoting in baraff94, one of which must succeed.  Rolling friction is solved by sweeps too, to
 * SWEEPS_TOLERANCE in SWEEPS_MAX iterations, because sweeps is only as good as its budget.
 */
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/friction/friction_file.h"

#define TOLERANCE 1e-8
#define SWEEPS_TOLERANCE 1e-4
#define SWEEPS_MAX 20000
#define FILES_MAX 200

static char names[FILES_MAX][256];
static int name_count;
static char folder[1024];

static int
compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void
list_files(void)
{
    const char *given = getenv("CAIRN_FRICTION_DATA"), *source = getenv("srcdir");
    if (given != NULL) {
        snprintf(folder, sizeof(folder), "%s", given);
    } else {
        snprintf(folder, sizeof(folder), "%s/../shared/truth/friction",
            source == NULL ? "." : source);
    }
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL && name_count < FILES_MAX) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && length < 256 && strcmp(entry->d_name + length - 4, ".dat") == 0) {
            memcpy(names[name_count++], entry->d_name, length + 1);
        }
    }
    closedir(directory);
    qsort(names, (size_t)name_count, sizeof(names[0]), compare_names);
}

static struct cn_solve_report
solve(const char *name, const struct friction_file *file, double *measure)
{
    const struct cn_matrix_solver *solver = cn_matrix_solver_find(name);
    struct cn_arena scratch;
    cn_arena_init_measure(&scratch);
    cn_matrix_solve_layout(solver, &scratch, file->n);
    size_t size = scratch.used;
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    double *f = calloc((size_t)file->n, sizeof(f[0]));
    double *a = calloc((size_t)file->n, sizeof(a[0]));
    assert_true(memory != NULL && f != NULL && a != NULL);
    cn_arena_init(&scratch, memory, size);
    struct cn_solve_options options = {.tolerance = TOLERANCE,
        .iteration_max = strcmp(name, "sweeps") == 0 ? SWEEPS_MAX : 1000000};
    struct cn_solve_report report =
        cn_matrix_solve(solver, &file->problem, &options, &scratch, f);
    double residual = cn_matrix_residual(&file->problem, f, a);
    assert_true(residual == report.residual);
    *measure = friction_file_measure(file, f);
    printf("  %-42s %5d rows  %-9s %-14s residual %7.1e  measure %7.1e  iterations %4d\n", "",
        file->n, name, cn_solve_outcome_name(report.outcome), residual, *measure,
        report.iteration_count);
    free(memory);
    free(f);
    free(a);
    return report;
}

static void
test_data(void **state)
{
    (void)state;
    if (name_count == 0) {
        print_message("no data in %s\n", folder);
        skip();
    }
    int failures = 0;
    for (int i = 0; i < name_count; i++) {
        char path[2048];
        struct friction_file file;
        bool lcp = strncmp(names[i], "lcp_", 4) == 0;
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        printf("  %s\n", names[i]);
        if (!friction_file_read(&file, path, lcp)) {
            printf("  can not be read\n");
            failures++;
            continue;
        }
        double measure;
        bool solved = solve("newton", &file, &measure).residual <= TOLERANCE;
        solved = solved && (lcp || measure <= TOLERANCE);
        if (cn_matrix_rolls(&file.problem) && file.problem.A != NULL) {
            solved = solve("sweeps", &file, &measure).residual <= SWEEPS_TOLERANCE && solved;
        }
        if (lcp) {
            bool pivoted = solve("baraff94", &file, &measure).residual <= TOLERANCE;
            solved = solved || pivoted;
        }
        failures += solved ? 0 : 1;
        friction_file_finish(&file);
    }
    assert_int_equal(failures, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_data)};
    list_files();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
