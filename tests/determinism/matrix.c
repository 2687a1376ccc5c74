/*
 * matrix.c: runs one world with every instruction set of this processor, on 1, 2, 4 and 8 workers,
 * and restored from its image at every tick.
 *
 * usage: matrix SCENE TICKS [LIFE]
 *
 * Prints a line for each way: the instruction set and the number of workers, or `restored`, and a
 * hash over the state's hashes of all ticks.  The hash must be the same on all lines; otherwise the
 * program exits with 1.  After every tick the restored world continues in another world, in small
 * pieces of work, with the sets and workers by turns.  With LIFE every LIFE-th tick makes a copy of
 * a body of the scene; if there are LIVING_MAX copies, the oldest is removed.
 */
#include "crew/crew.h"
#include "engine/base/hash.h"
#include "engine/cairn.h"
#include "engine/solve/impulse/impulse.h"
#include "proto/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (4 << 20)
#define LIVING_MAX 8
#define WAYS_MAX 64
#define PIECE_WORK 100000 /* of a step, in the restored world */

static const int worker_counts[] = {1, 2, 4, 8};
#define WORKER_COUNTS ((int)(sizeof(worker_counts) / sizeof(worker_counts[0])))

struct way {
    const char *simd;
    struct cn_crew *crew; /* NULL: one worker */
    int worker_count;
};

static struct way way[WAYS_MAX];
static int way_count;
static const struct cn_world_def *def;
static int tick_count, life;

static void
stop(const char *what)
{
    fprintf(stderr, "matrix: %s\n", what);
    exit(2);
}

static void
list_ways(void)
{
    struct cn_crew *crew[WORKER_COUNTS] = {NULL};
    for (int i = 1; i < WORKER_COUNTS; i++) {
        crew[i] = crew_create(worker_counts[i]);
        if (crew[i] == NULL) {
            stop("no crew");
        }
    }
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        if (!cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            continue;
        }
        for (int i = 0; i < WORKER_COUNTS && way_count < WAYS_MAX; i++) {
            way[way_count++] =
                (struct way){cn_impulse_kernels[k]->name, crew[i], worker_counts[i]};
        }
    }
}

static void
destroy_crews(void)
{
    for (int i = 1; i < WORKER_COUNTS; i++) { /* all ways share the crews of the first */
        crew_destroy(way[i].crew);
    }
}

static void
use(struct cn_world *world, const struct way *by)
{
    struct cn_defect defect = {0};
    struct cn_world_tools tools = {.simd = by->simd, .crew = by->crew};
    if (cn_world_use(world, &tools, &defect) != CN_OK) {
        stop(defect.text);
    }
}

static struct cn_world *
make(const struct way *by)
{
    struct cn_world *world = NULL;
    struct cn_defect defect = {0};
    if (cn_world_create(def, &defect, &world) != CN_OK) {
        stop(defect.text);
    }
    use(world, by);
    return world;
}

/* Bodies that exist for a while.  Their slots and their shapes follow from the tick alone. */
struct living {
    int slot[LIVING_MAX], count;
};

static void
live(struct cn_world *world, struct living *living, int tick)
{
    if (life == 0 || tick % life != life - 1) {
        return;
    }
    struct cn_defect defect = {0};
    if (living->count == LIVING_MAX) {
        if (cn_world_remove_body(world, living->slot[0], &defect) != CN_OK) {
            stop(defect.text);
        }
        living->count--;
        memmove(living->slot, living->slot + 1, (size_t)living->count * sizeof(living->slot[0]));
    }
    int like = tick * 7 % def->body_count;
    while (def->bodies[like].type != CN_DYNAMIC) {
        like = (like + 1) % def->body_count;
    }
    struct cn_body_def body = def->bodies[like];
    body.position = cn_vec3_add(body.position, cn_vec3_make(0.25, 1.5, 0.0));
    int *slot = &living->slot[living->count++];
    if (cn_world_make_body(world, &body, &defect, slot) != CN_OK) {
        stop(defect.text);
    }
}

static uint64_t
run(const struct way *by)
{
    struct cn_world *world = make(by);
    struct living living = {.count = 0};
    struct cn_hash hash;
    cn_hash_init(&hash);
    for (int tick = 0; tick < tick_count; tick++) {
        live(world, &living, tick);
        cn_world_step(world, CN_WORK_UNLIMITED);
        cn_hash_u64(&hash, cn_world_hash(world));
    }
    cn_world_destroy(world);
    return hash.state;
}

/* Gives `to` the state of `from`. */
static void
restore(const struct cn_world *from, struct cn_world *to)
{
    struct cn_defect defect = {0};
    size_t size = cn_world_image_size(from);
    void *image = malloc(size);
    if (image == NULL || cn_world_image_write(from, image, size) != size) {
        stop("no image");
    }
    if (cn_world_image_read(to, image, size, &defect) != CN_OK) {
        stop(defect.text);
    }
    free(image);
}

static uint64_t
run_restored(void)
{
    struct cn_world *world = make(&way[0]), *other = make(&way[0]);
    struct living living = {.count = 0};
    struct cn_hash hash;
    cn_hash_init(&hash);
    for (int tick = 0; tick < tick_count; tick++) {
        use(world, &way[tick % way_count]);
        live(world, &living, tick);
        while (cn_world_step(world, PIECE_WORK) == CN_STEP_MORE) {
        }
        cn_hash_u64(&hash, cn_world_hash(world));
        restore(world, other);
        struct cn_world *swapped = world;
        world = other;
        other = swapped;
    }
    cn_world_destroy(world);
    cn_world_destroy(other);
    return hash.state;
}

static struct wire_scene *
read_scene(const char *path)
{
    struct wire_text_error error;
    char *text = malloc(TEXT_MAX);
    FILE *file = fopen(path, "rb");
    if (text == NULL || file == NULL) {
        stop("the scene can not be read");
    }
    size_t size = fread(text, 1, TEXT_MAX, file);
    fclose(file);
    struct wire_scene *scene = wire_scene_parse(text, size, &error);
    free(text);
    if (scene == NULL) {
        stop("the scene is refused");
    }
    return scene;
}

int
main(int argc, char **argv)
{
    if (argc < 3) {
        stop("usage: matrix SCENE TICKS [LIFE]");
    }
    struct wire_scene *scene = read_scene(argv[1]);
    def = wire_scene_world_def(scene);
    tick_count = atoi(argv[2]);
    life = argc > 3 ? atoi(argv[3]) : 0;
    list_ways();
    uint64_t first = 0;
    bool same = true;
    for (int i = 0; i < way_count; i++) {
        uint64_t hash = run(&way[i]);
        first = i == 0 ? hash : first;
        same = same && hash == first;
        printf("%s %d %016" PRIx64 "\n", way[i].simd, way[i].worker_count, hash);
    }
    uint64_t hash = run_restored();
    same = same && hash == first;
    printf("restored %016" PRIx64 "\n", hash);
    destroy_crews();
    wire_scene_destroy(scene);
    return same ? 0 : 1;
}
