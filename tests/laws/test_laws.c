/*
 * test_laws.c: checks the laws of mechanics on random scenes.
 *
 * usage: test_laws                            a thousand scenes (with AddressSanitizer the first
 *                                             30); fails on a finding that is not in known.c
 *        test_laws SEED...                    these scenes, with all that is found, tick by tick
 *        test_laws --count N [--first S] [--jobs J]   a line for each finding, and a table
 *
 *     --stepper NAME, --solver NAME   only these
 *     --scene                         with SEED: prints it as a scene file
 *     --least                         with SEED: removes bodies while the finding remains, and
 *                                     prints the smallest scene as a scene file
 *     --cpu S                         CPU seconds after which a run counts as hanging
 *     --rows                          prints findings as rows of known.c
 *
 * The exit status is 1 if a law is violated.  docs/laws.md has details.
 */
#include "tests/laws/crew.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#define TEST_FIRST 1
#define KNOWN_COUNT 1000 /* scenes that known.c counts */
#ifdef __SANITIZE_ADDRESS__
#define TEST_COUNT 30 /* of these, since instrumented code is several times slower */
#else
#define TEST_COUNT KNOWN_COUNT
#endif
#define CPU_S 300 /* of processor time: a run that takes longer counts as one that hangs */
#define FINDINGS_MAX 400000
#define FAMILIES_MAX 32

struct findings {
    struct laws_finding *list;
    int count;
    int64_t all;
    bool loud;
};

struct arguments {
    struct laws_order order;
    bool many, scene, least, rows;
    uint64_t seed[64];
    int seed_count;
};

static struct laws_method methods[LAWS_METHODS_MAX];

static void
print_finding(const struct laws_finding *finding)
{
    const struct laws_method *method = &methods[finding->method];
    printf("seed %llu: %s, %s/%s, tick %d: %s: %g > %g: %s\n", (unsigned long long)finding->seed,
        laws_families[finding->family].name, method->stepper->name, method->solver->name,
        finding->tick, laws_law_name(finding->law), finding->figure, finding->bound,
        finding->text);
}

static void
take(void *context, const struct laws_finding *finding)
{
    struct findings *findings = context;
    findings->all++;
    if (findings->loud) {
        print_finding(finding);
        (void)fflush(stdout);
    }
    if (findings->count < FINDINGS_MAX) {
        findings->list[findings->count++] = *finding;
    }
}

/* ---- tables ---- */

static void
print_by_family(const struct findings *findings, const struct laws_tally *tally)
{
    printf("%-10s%9s", "family", "scenes");
    for (int law = 0; law < LAWS_LAW_COUNT; law++) {
        printf("%10s", laws_law_name((enum laws_law)law));
    }
    printf("\n");
    for (int family = 0; family < laws_family_count; family++) {
        printf("%-10s%9lld", laws_families[family].name,
            (long long)tally->family_scenes[family]);
        for (int law = 0; law < LAWS_LAW_COUNT; law++) {
            int count = 0;
            for (int i = 0; i < findings->count; i++) {
                count += findings->list[i].family == family &&
                         findings->list[i].law == (enum laws_law)law;
            }
            printf("%10d", count);
        }
        printf("\n");
    }
    printf("%-10s%9s", "held", "");
    for (int law = 0; law < LAWS_LAW_COUNT; law++) {
        printf("%10lld", (long long)tally->check_count[law]);
    }
    printf("\n");
}

static void
print_by_method(const struct findings *findings, int method_count)
{
    for (int k = 0; k < method_count; k++) {
        int counts[LAWS_LAW_COUNT] = {0}, sum = 0;
        for (int i = 0; i < findings->count; i++) {
            counts[findings->list[i].law] += findings->list[i].method == k;
            sum += findings->list[i].method == k;
        }
        if (sum == 0) {
            continue;
        }
        printf("%-11s %-7.7s", methods[k].stepper->name, methods[k].solver->name);
        for (int law = 0; law < LAWS_LAW_COUNT; law++) {
            printf("%10d", counts[law]);
        }
        printf("\n");
    }
}

/* ---- against known.c ---- */

static bool
is_named(const char *pattern, const char *name)
{
    return strcmp(pattern, "*") == 0 || strcmp(pattern, name) == 0;
}

static bool
is_of(const struct laws_known *known, const struct laws_finding *finding)
{
    const struct laws_method *method = &methods[finding->method];
    return known->law == finding->law &&
           is_named(known->family, laws_families[finding->family].name) &&
           is_named(known->stepper, method->stepper->name) &&
           is_named(known->solver, method->solver->name);
}

/* Prints all findings, and returns how many of them are not in the table of known ones. */
static int
count_new(const struct findings *findings)
{
    int bad = 0;
    bool *explained = calloc((size_t)findings->count + 1, sizeof(*explained));
    if (laws_known_count > 0) {
        printf("known, and not mended yet:\n");
    }
    for (int k = 0; k < laws_known_count; k++) {
        const struct laws_known *known = &laws_known[k];
        int found = 0;
        for (int i = 0; i < findings->count; i++) {
            if (!explained[i] && is_of(known, &findings->list[i])) {
                found++;
                explained[i] = found <= known->count;
            }
        }
        printf("  %-9s %-9s %-9s %-10s %4d of at most %4d%s: %s\n", known->family, known->stepper,
            known->solver, laws_law_name(known->law), found, known->count,
            TEST_COUNT == KNOWN_COUNT && found < known->count ? ", BETTER: lower it" : "",
            known->reason);
    }
    for (int i = 0; i < findings->count; i++) {
        if (!explained[i]) {
            print_finding(&findings->list[i]);
            bad++;
        }
    }
    free(explained);
    return bad;
}

/* Findings as rows of known.c, by family, stepper, solver and law. */
static void
print_rows(const struct findings *findings)
{
    bool *done = calloc((size_t)findings->count + 1, sizeof(*done));
    for (int i = 0; i < findings->count; i++) {
        const struct laws_finding *first = &findings->list[i];
        int count = 0;
        for (int k = i; k < findings->count; k++) {
            const struct laws_finding *other = &findings->list[k];
            if (!done[k] && other->family == first->family && other->law == first->law &&
                other->method == first->method) {
                done[k] = true;
                count++;
            }
        }
        if (count > 0) {
            printf("    {\"%s\", \"%s\", \"%s\", LAWS_%s, %d, \"\"}, /* %llu */\n",
                laws_families[first->family].name, methods[first->method].stepper->name,
                methods[first->method].solver->name, laws_law_name(first->law), count,
                (unsigned long long)first->seed);
        }
    }
    free(done);
}

static int
do_many(const struct arguments *arguments)
{
    struct findings findings = {.loud = arguments->many};
    struct laws_tally tally = {0};
    findings.list = calloc(FINDINGS_MAX, sizeof(findings.list[0]));
    laws_crew_run(&arguments->order, &tally, take, &findings);
    print_by_family(&findings, &tally);
    printf("\n");
    print_by_method(&findings, laws_methods(methods));
    printf("%lld scenes, %lld runs, %lld findings\n", (long long)tally.scenes,
        (long long)tally.runs, (long long)findings.all);
    if (arguments->rows) {
        print_rows(&findings);
    }
    int bad = arguments->many ? (int)(findings.all > 0) : count_new(&findings);
    free(findings.list);
    return bad > 0;
}

/* ---- one scene ---- */

static struct laws_scene scene, less;

static bool
breaks(const struct laws_scene *of, int method, enum laws_law law)
{
    static struct laws_sink sink;
    memset(&sink, 0, sizeof(sink));
    return laws_hold(of, methods[method], &sink) && sink.broken[law];
}

/* Without every body that the finding does not need. */
static void
print_least(int method, enum laws_law law)
{
    for (int i = scene.def.body_count - 1; i >= 0; i--) {
        laws_scene_copy(&less, &scene);
        if (laws_scene_drop(&less, i) && breaks(&less, method, law)) {
            laws_scene_copy(&scene, &less);
        }
    }
    printf("# %s, with %s/%s:\n", laws_law_text(law), methods[method].stepper->name,
        methods[method].solver->name);
    laws_scene_print(
        &scene, methods[method].stepper->name, methods[method].solver->name, stdout);
}

static int
do_scene(const struct arguments *arguments, uint64_t seed)
{
    static struct laws_sink sink;
    int bad = 0, method_count = laws_methods(methods);
    laws_scene_make(&scene, seed);
    printf("seed %llu: %s %s, %d bodies, %d joints, %d ticks of %g s, friction up to %g, "
           "restitution up to %g\n", (unsigned long long)seed,
        laws_is_planar(&scene) ? "planar" : "spatial", scene.family, scene.def.body_count,
        scene.def.joint_count, scene.ticks, scene.def.settings.time_rate / scene.def.tick_rate,
        scene.friction_max, scene.restitution_max);
    if (arguments->scene) {
        laws_scene_print(&scene, "event", "baraff94", stdout);
    }
    for (int k = 0; k < method_count; k++) {
        if (!laws_takes_part(&scene, &arguments->order, methods, k)) {
            continue;
        }
        printf("%s/%s\n", methods[k].stepper->name, methods[k].solver->name);
        memset(&sink, 0, sizeof(sink));
        sink.verbose = true;
        (void)laws_hold(&scene, methods[k], &sink);
        for (int law = 0; law < LAWS_LAW_COUNT; law++) {
            bad += sink.broken[law];
            if (sink.broken[law] && arguments->least) {
                print_least(k, (enum laws_law)law);
                laws_scene_make(&scene, seed);
            }
        }
    }
    return bad;
}

/* ---- arguments ---- */

static bool
read_pair(struct arguments *arguments, const char *name, const char *value)
{
    struct laws_order *order = &arguments->order;
    char *end = NULL;
    uint64_t number = strtoull(value, &end, 10);
    bool is_number = end != value && *end == '\0';
    if (strcmp(name, "--stepper") == 0) {
        order->stepper = value;
    } else if (strcmp(name, "--solver") == 0) {
        order->solver = value;
    } else if (strcmp(name, "--count") == 0 && is_number) {
        order->count = (int64_t)number;
        arguments->many = true;
    } else if (strcmp(name, "--first") == 0 && is_number) {
        order->first = number;
    } else if (strcmp(name, "--jobs") == 0 && is_number && number >= 1 && number <= 256) {
        order->jobs = (int)number;
    } else if (strcmp(name, "--cpu") == 0 && is_number && number >= 1 && number <= 100000) {
        order->cpu_s = (int)number;
    } else {
        return false;
    }
    return true;
}

static bool
read_arguments(int count, char **list, struct arguments *arguments)
{
    for (int i = 1; i < count; i++) {
        char *end = NULL;
        uint64_t seed = strtoull(list[i], &end, 10);
        if (strcmp(list[i], "--scene") == 0) {
            arguments->scene = true;
        } else if (strcmp(list[i], "--least") == 0) {
            arguments->least = true;
        } else if (strcmp(list[i], "--rows") == 0) {
            arguments->rows = true;
        } else if (list[i][0] == '-' && i + 1 < count) {
            if (!read_pair(arguments, list[i], list[i + 1])) {
                return false;
            }
            i++;
        } else if (end != list[i] && *end == '\0' && arguments->seed_count < 64) {
            arguments->seed[arguments->seed_count++] = seed;
        } else {
            return false;
        }
    }
    return true;
}

int
main(int count, char **list)
{
    static struct arguments arguments = {
        .order = {.first = TEST_FIRST, .count = TEST_COUNT, .jobs = 1, .cpu_s = CPU_S}};
    if (!read_arguments(count, list, &arguments)) {
        fprintf(stderr, "usage: test_laws [SEED... [--scene] [--least]]"
                        " [--count N] [--first S] [--jobs J] [--cpu S]"
                        " [--stepper NAME] [--solver NAME] [--rows]\n");
        return 2;
    }
    (void)laws_methods(methods);
    if (arguments.seed_count == 0) {
        return do_many(&arguments);
    }
    int bad = 0;
    for (int i = 0; i < arguments.seed_count; i++) {
        bad += do_scene(&arguments, arguments.seed[i]);
    }
    return bad > 0;
}
