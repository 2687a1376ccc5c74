/*
 * bench_image.c: the cost of saving, measuring, hashing and restoring a world, and of saving it in
 * the portable form.
 *
 * The world is a spatial wall of 1,000 boxes of 1 m in 25 rows of 40, with odd rows shifted by half
 * a box.  It has stood for a second.  The table has the smallest and the median processor time of
 * ROUNDS (1,000) in microseconds.  It also has the ratio to a copy of as many bytes in the same
 * run.  This ratio can be compared between machines and hours; the microseconds cannot.
 *
 * usage: bench_image [ROUNDS]
 */
#define _POSIX_C_SOURCE 200809L
#include "engine/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS_MAX 10000
#define COLUMNS 40
#define ROWS 25
#define BODIES (COLUMNS * ROWS + 1)
#define ACTS 6

enum act { WRITE, MEASURE, HASH, COPY, RESTORE, PORTABLE };
static const char *const act_name[ACTS] = {
    "write", "measure", "hash", "copy", "restore", "portable"};

static double sample[ACTS][ROUNDS_MAX];

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static struct cn_world *
make_wall(void)
{
    static struct cn_body_def body[BODIES];
    static struct cn_shape_def shape[BODIES];
    struct cn_world_def def;
    cn_world_def_init(&def);
    def.settings.dimension = CN_SPATIAL;
    snprintf(def.settings.stepper, sizeof(def.settings.stepper), "time");
    snprintf(def.settings.solver, sizeof(def.settings.solver), "impulse");
    def.settings.gravity = (cn_vec3){0, -9.81, 0};
    def.settings.sleep = false;
    for (int i = 0; i < BODIES; i++) {
        int k = i - 1, row = k / COLUMNS;
        cn_body_def_init(&body[i]);
        body[i].shapes = &shape[i];
        body[i].shape_count = 1;
        shape[i].density = 1;
        if (i == 0) {
            body[i].type = CN_STATIC;
            shape[i].kind = CN_SHAPE_PLANE;
            shape[i].plane.normal = (cn_vec3){0, 1, 0};
            continue;
        }
        shape[i].kind = CN_SHAPE_BOX;
        shape[i].box.size = (cn_vec3){1, 1, 1};
        body[i].position = (cn_vec3){k % COLUMNS + 0.5 * (row % 2), 0.5 + row, 0};
    }
    def.bodies = body;
    def.body_count = BODIES;
    struct cn_world *world = NULL;
    struct cn_defect defect;
    if (cn_world_create(&def, &defect, &world) != CN_OK) {
        fprintf(stderr, "bench_image: %s\n", defect.text);
        exit(1);
    }
    for (int tick = 0; tick < 60; tick++) {
        while (cn_world_step(world, INT64_MAX) == CN_STEP_MORE) {
        }
    }
    return world;
}

/*
 * The restores come last: a restored world that has not ticked yet is slower to write, and that
 * would change the other times.
 */
static uint64_t
measure(struct cn_world *world, unsigned char *image, unsigned char *copy, size_t size, int rounds)
{
    uint64_t seen = 0;
    for (int i = 0; i < rounds; i++) {
        double at[ACTS];
        at[0] = now_us();
        seen += cn_world_image_write(world, image, size);
        at[1] = now_us();
        seen += cn_world_image_size(world);
        at[2] = now_us();
        seen ^= cn_world_hash(world);
        at[3] = now_us();
        memcpy(copy, image, size);
        at[4] = now_us();
        seen += copy[size / 2];
        for (int act = 0; act < RESTORE; act++) {
            sample[act][i] = at[act + 1] - at[act];
        }
    }
    for (int i = 0; i < rounds; i++) {
        struct cn_defect defect;
        double start = now_us();
        if (cn_world_image_read(world, image, size, &defect) != CN_OK) {
            fprintf(stderr, "bench_image: %s\n", defect.text);
            exit(1);
        }
        sample[RESTORE][i] = now_us() - start;
    }
    return seen;
}

/* The same world in the portable form: measured and written, as a checkpoint does. */
static size_t
measure_portable(const struct cn_world *world, unsigned char *bytes, size_t size, int rounds)
{
    size_t used = 0;
    for (int i = 0; i < rounds; i++) {
        double start = now_us();
        size_t wanted = cn_world_portable_size(world);
        used = wanted <= size ? cn_world_portable_write(world, bytes, wanted) : 0;
        sample[PORTABLE][i] = now_us() - start;
    }
    return used;
}

static int
compare(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    if (rounds < 10 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "bench_image: 10 to %d rounds\n", ROUNDS_MAX);
        return 1;
    }
    struct cn_world *world = make_wall();
    size_t size = cn_world_image_size(world);
    unsigned char *image = malloc(size), *copy = malloc(size);
    if (image == NULL || copy == NULL) {
        fprintf(stderr, "bench_image: no memory\n");
        return 1;
    }
    size_t portable = measure_portable(world, copy, size, rounds);
    uint64_t seen = measure(world, image, copy, size, rounds);
    printf("%d bodies, %zu bytes, portable %zu (%016llx)\n", BODIES, size, portable,
        (unsigned long long)seen);
    for (int act = 0; act < ACTS; act++) {
        qsort(sample[act], (size_t)rounds, sizeof(double), compare);
    }
    printf("%-8s %10s %10s %12s\n", "", "least us", "median us", "median/copy");
    for (int act = 0; act < ACTS; act++) {
        double median = sample[act][rounds / 2];
        printf("%-8s %10.1f %10.1f %12.1f\n", act_name[act], sample[act][0], median,
            median / sample[COPY][rounds / 2]);
    }
    free(image);
    free(copy);
    cn_world_destroy(world);
    return 0;
}
