/*
 * test_truth.c: every id of the truth set runs, or is in the table of skips with its reason.
 *
 * usage: test_truth [--verbose] [--only PATTERN] [FILE]
 *
 * There is one test for each id that runs.  One more test fails if an id is in neither table, or in
 * both.  --verbose lists every skipped id with its reason.  PATTERN selects the ids that run; FILE
 * is another set of the same form.
 */
#include "tests/truth/table.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ID_COUNT_MAX 4096
#define ID_SIZE 64

struct entry {
    char id[ID_SIZE];
    const json_t *data;
    const struct truth_runner *runner; /* the first that matches */
    const struct truth_skip *skip;
};

static struct entry entries[ID_COUNT_MAX];
static struct CMUnitTest tests[ID_COUNT_MAX + 1];
static int entry_count;

static json_t *public_set; /* for statements on cases that a set lacks */
static const json_t *given_set;

static void
entry_add(const char *id, const json_t *data)
{
    if (entry_count == ID_COUNT_MAX) {
        fprintf(stderr, "more than %d ids\n", ID_COUNT_MAX);
        exit(2);
    }
    struct entry *entry = &entries[entry_count++];
    snprintf(entry->id, sizeof(entry->id), "%s", id);
    entry->data = data;
    for (const struct truth_runner *runner = truth_runners; runner->pattern != NULL; runner++) {
        if (entry->runner == NULL && fnmatch(runner->pattern, id, 0) == 0) {
            entry->runner = runner;
        }
    }
    for (const struct truth_skip *skip = truth_skips; skip->pattern != NULL; skip++) {
        if (entry->skip == NULL && fnmatch(skip->pattern, id, 0) == 0) {
            entry->skip = skip;
        }
    }
}

/* Rows of the overhang table have no id: theirs is "overhang-n". */
static void
section_add(const json_t *set, const char *section)
{
    size_t index;
    json_t *data;
    json_array_foreach(json_object_get(set, section), index, data)
    {
        const char *id = json_string_value(json_object_get(data, "id"));
        char overhang[ID_SIZE];
        if (id == NULL) {
            snprintf(overhang, sizeof(overhang), "overhang-%lld",
                (long long)json_integer_value(json_object_get(data, "n")));
            id = overhang;
        }
        entry_add(id, data);
    }
}

const json_t *
truth_find(const char *id)
{
    for (int i = 0; i < entry_count; i++) {
        if (strcmp(entries[i].id, id) == 0) {
            return entries[i].data;
        }
    }
    static const char *const sections[] = {"cases", "towers"};
    for (int i = 0; i < 2; i++) {
        size_t index;
        json_t *data;
        json_array_foreach(json_object_get(public_set, sections[i]), index, data)
        {
            if (strcmp(truth_string(data, "id"), id) == 0) {
                return data;
            }
        }
    }
    fail_msg("no set has %s", id);
    return NULL;
}

static bool
section_has(const json_t *set, const char *section, const char *pattern)
{
    size_t index;
    json_t *data;
    json_array_foreach(json_object_get(set, section), index, data)
    {
        if (fnmatch(pattern, truth_string(data, "id"), 0) == 0) {
            return true;
        }
    }
    return false;
}

const json_t *
truth_section(const char *section, const char *pattern)
{
    bool given = section_has(given_set, section, pattern);
    return json_object_get(given ? given_set : public_set, section);
}

static void
run_entry(void **state)
{
    const struct entry *entry = *state;
    entry->runner->run(entry->data);
}

/* Every id is in exactly one of the two tables, and every line of a table matches an id. */
static void
test_books(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < entry_count; i++) {
        const struct entry *entry = &entries[i];
        if ((entry->runner == NULL) == (entry->skip == NULL)) {
            printf("truth: %s is in %s\n", entry->id,
                entry->runner == NULL ? "neither table" : "both tables");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(entry_count > 0);
}

/* README has the counted numbers of the public set. */
static void
check_readme(const char *counted)
{
    char path[4096], line[1024];
    const char *srcdir = getenv("srcdir");
    snprintf(path, sizeof(path), "%s/README.md", srcdir == NULL ? "." : srcdir);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "%s can not be read\n", path);
        exit(2);
    }
    bool found = false;
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        found = strstr(line, counted) != NULL;
    }
    fclose(file);
    if (!found) {
        fprintf(stderr, "README.md does not say: %s\n", counted);
        exit(1);
    }
}

static void
print_books(bool verbose, bool is_public)
{
    int run = 0, part = 0, skipped = 0;
    char counted[128];
    for (int i = 0; i < entry_count; i++) {
        const struct entry *entry = &entries[i];
        run += entry->runner != NULL;
        part += entry->runner != NULL && entry->runner->left_out[0] != '\0';
        skipped += entry->runner == NULL && entry->skip != NULL;
        if (verbose && entry->runner == NULL && entry->skip != NULL) {
            printf("skipped %-36s %s\n", entry->id, entry->skip->reason);
        } else if (verbose && entry->runner != NULL && entry->runner->left_out[0] != '\0') {
            printf("partly  %-36s without %s\n", entry->id, entry->runner->left_out);
        }
    }
    printf("truth: %d ids, %d run (%d of them in part), %d skipped\n", entry_count, run, part,
        skipped);
    snprintf(counted, sizeof(counted), "%d of %d hold, %d of them in part", run, entry_count, part);
    if (is_public) {
        check_readme(counted);
    }
}

static json_t *
set_load(const char *given)
{
    char path[4096];
    const char *srcdir = getenv("srcdir");
    snprintf(
        path, sizeof(path), "%s/tests/truth/data/truth_public.json", srcdir == NULL ? "." : srcdir);
    json_error_t error;
    json_t *set = json_load_file(given == NULL ? path : given, 0, &error);
    if (set == NULL) {
        fprintf(stderr, "%s:%d: %s\n", error.source, error.line, error.text);
        exit(2);
    }
    return set;
}

int
main(int argc, char **argv)
{
    bool verbose = false;
    const char *given = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0) {
            verbose = true;
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            cmocka_set_test_filter(argv[++i]);
        } else {
            given = argv[i];
        }
    }
    json_t *set = set_load(given);
    given_set = set;
    public_set = set_load(NULL);
    section_add(set, "cases");
    section_add(set, "towers");
    section_add(set, "lcp");
    section_add(set, "fc3d");
    section_add(set, "overhang_table");

    size_t test_count = 0;
    tests[test_count++] = (struct CMUnitTest)cmocka_unit_test(test_books);
    for (int i = 0; i < entry_count; i++) {
        if (entries[i].runner != NULL) {
            tests[test_count++] = (struct CMUnitTest){
                .name = entries[i].id, .test_func = run_entry, .initial_state = &entries[i]};
        }
    }
    print_books(verbose, given == NULL);
    int failed = _cmocka_run_group_tests("truth", tests, test_count, NULL, NULL);
    json_decref(set);
    json_decref(public_set);
    return failed == 0 ? 0 : 1;
}
