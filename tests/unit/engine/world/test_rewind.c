/*
 * test_rewind.c: queries of a past tick get the answers of that time, to the bit.  Ticks that are
 * not stored are refused.  The stored past does not change hashes or images.
 */
#include "engine/cairn.h"

#include "engine/base/rng.h"
#include "engine/mesh/mesh.h"
#include "engine/world/history.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/world/scene.h"

#define TICKS 240   /* of a run */
#define BACK 60     /* ticks that are remembered */
#define ASKED 16    /* queries of every tick */
#define HITS 6

static struct scene scene;
static struct cn_mesh *mesh; /* a tetrahedron */

enum kind { QUICK, EXACT, MESHES };

struct answer {
    int count;
    struct cn_query_hit hit[HITS];
};

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return (cn_vec3){x, y, cn_rng_uniform(rng, -size, size)};
}

static void
make_mesh(void)
{
    static const cn_vec3 vertex[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int32_t triangle[][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const struct cn_mesh_def def = {
        .vertex_count = 4, .triangle_count = 4, .vertex = vertex, .triangle = triangle};
    assert_int_equal(cn_mesh_make(&def, &mesh, NULL), CN_OK);
}

/*
 * Bodies that fall on a floor or a static box and come to rest; some are sensors or have filters.
 */
static struct cn_world *
make_world(enum kind kind, bool planar, struct cn_rng *rng)
{
    if (planar) {
        scene_init(&scene, 9.81);
    } else {
        scene_init_space(&scene, 9.81);
    }
    scene_floor(&scene);
    int count = kind == EXACT ? 12 : kind == MESHES ? 8 : 60;
    for (int i = 0; i < count; i++) {
        double x = cn_rng_uniform(rng, -6.0, 6.0), y = cn_rng_uniform(rng, 0.6, 5.0);
        int body = i % 3 == 0 ? scene_capsule(&scene, x, y, 0.2, 0.5)
                              : scene_box(&scene, x, y, 0.5, 0.6);
        scene.shape[body].box.size.z = i % 3 == 0 ? scene.shape[body].box.size.z : 0.7;
        scene.body[body].position.z = planar ? 0.0 : cn_rng_uniform(rng, -6.0, 6.0);
        if (kind != EXACT && i % 10 == 4) {
            scene.shape[body].sensor = true;
            scene.body[body].type = CN_KINEMATIC;
            scene.body[body].velocity.x = 0.5;
        }
        scene.shape[body].has_filter = i % 7 == 3;
        scene.shape[body].filter = (struct cn_filter){2, UINT64_MAX, 0};
        if (kind == MESHES && i % 2 == 0) {
            scene.shape[body] = (struct cn_shape_def){.kind = CN_SHAPE_MESH, .mesh = {0, mesh}};
        }
    }
    if (kind == MESHES) {
        scene.def.meshes = &mesh;
        scene.def.mesh_count = 1;
    }
    if (kind != EXACT) {
        scene_friction(&scene, 0, 0.6);
        scene.def.settings.damping_angular = 0.5;
        memcpy(scene.def.settings.stepper, "time", 5);
        memcpy(scene.def.settings.solver, "impulse", 8);
        scene.def.settings.sleep = true;
    }
    return scene_create(&scene);
}

static void
ask(const struct cn_world *world, uint64_t tick, int i, bool past, struct answer *answer)
{
    struct cn_rng rng = {1000 * tick + (uint64_t)i};
    struct cn_shape_def capsule = {.kind = CN_SHAPE_CAPSULE};
    capsule.capsule.radius = 0.3;
    capsule.capsule.length = 1.0;
    struct cn_query query = cn_query_make((enum cn_query_kind)(i % CN_QUERY_KIND_COUNT));
    query.position = random_vector(&rng, 5.0);
    query.position.y = fabs(query.position.y);
    query.along = random_vector(&rng, i % 4 == 0 ? 1.0 : 12.0);
    query.shape = &capsule;
    query.hit_max = i % 2 == 0 ? 1 : HITS;
    query.sensors = i % 3 == 1;
    query.skip_inside = i % 5 == 0;
    query.ignored_body = i % 4 == 3 ? i : -1;
    query.filter.mask = i % 8 == 7 ? 2 : UINT64_MAX;
    query.has_tick = past;
    query.tick = tick;
    struct cn_defect defect;
    enum cn_status status =
        cn_world_query(world, &query, answer->hit, &answer->count, &defect);
    if (status != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
}

static bool
same_vector(const cn_vec3 *a, const cn_vec3 *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void
assert_same(const struct answer *a, const struct answer *b, uint64_t tick, uint64_t now)
{
    bool same = a->count == b->count;
    for (int k = 0; k < a->count && same; k++) {
        const struct cn_query_hit *p = &a->hit[k], *q = &b->hit[k];
        same = p->body == q->body && p->shape == q->shape && p->shape_index == q->shape_index &&
               memcmp(&p->fraction, &q->fraction, sizeof(p->fraction)) == 0 &&
               same_vector(&p->point, &q->point) && same_vector(&p->normal, &q->normal) &&
               p->is_inside == q->is_inside;
    }
    if (!same) {
        fail_msg("tick %d is another at tick %d", (int)tick, (int)now);
    }
}

/* A change between two ticks: makes, removes or places a body, or changes its filter or type. */
static void
change_something(struct cn_world *world, int round, struct cn_rng *rng)
{
    struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
    int body = 1 + (int)cn_rng_uniform(rng, 0.0, cn_world_body_count(world) - 1.001);
    struct cn_body_def def = scene.body[1 + round % 6];
    struct cn_body_view view;
    cn_world_body_view(world, body, &view);
    switch (round % 6) {
    case 0:
    case 3:
        def.position = random_vector(rng, 4.0);
        def.position.y = 3.0 + fabs(def.position.y);
        def.position.z = 0.0;
        assert_int_equal(cn_world_make_body(world, &def, NULL, &body), CN_OK);
        if (round % 4 != 0) {
            return;
        }
        assert_int_equal(cn_world_remove_body(world, body, NULL), CN_OK);
        return; /* it was never there at a tick */
    case 1:
        if (!view.absent) {
            assert_int_equal(cn_world_remove_body(world, body, NULL), CN_OK);
            if (round % 4 == 1) { /* a new body in its slot */
                def.position.y = 4.0;
                assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
            }
        }
        return;
    case 2:
        if (!view.absent && view.type != CN_STATIC) {
            command.place_body.body = body;
            command.place_body.position = random_vector(rng, 4.0);
            command.place_body.position.y = 2.0;
            command.place_body.position.z = 0.0;
            command.place_body.orientation = (cn_quat){1.0, 0.0, 0.0, 0.0};
            scene_command(world, &command);
        }
        return;
    case 4:
        if (!view.absent) {
            command.kind = CN_COMMAND_SET_FILTER;
            command.set_filter.body = body;
            command.set_filter.shape = -1;
            command.set_filter.filter =
                (struct cn_filter){round % 4 == 0 ? 2U : 1U, UINT64_MAX, 0};
            scene_command(world, &command);
            if (round % 12 == 10) { /* its past shapes are still needed */
                assert_int_equal(cn_world_remove_body(world, body, NULL), CN_OK);
            }
        }
        return;
    default:
        if (!view.absent && view.type == CN_DYNAMIC) {
            command.kind = CN_COMMAND_SET_BODY_TYPE;
            command.set_body_type.body = body;
            command.set_body_type.type = CN_STATIC;
            scene_command(world, &command);
        }
    }
}

/* Every stored tick gives the same answers as it did at its time; returns the number of hits. */
static int
ask_past(const struct cn_world *world, const struct answer *answers)
{
    uint64_t now = cn_world_tick(world), first = cn_world_past(world).first;
    int found = 0;
    assert_true(first == (now > BACK ? now - BACK : 0));
    for (uint64_t tick = first; tick <= now; tick++) {
        for (int i = 0; i < ASKED; i++) {
            struct answer answer;
            ask(world, tick, i, true, &answer);
            assert_same(&answers[tick * ASKED + (uint64_t)i], &answer, tick, now);
            found += answer.count;
        }
    }
    return found;
}

static void
run(enum kind kind, bool planar, bool changes)
{
    struct cn_rng rng = {17};
    struct cn_world *world = make_world(kind, planar, &rng), *plain = scene_create(&scene);
    struct answer *answers = calloc((TICKS + 1) * ASKED, sizeof(*answers));
    int found = 0, asleep = 0;
    assert_int_equal(cn_world_remember(world, BACK, NULL), CN_OK);
    for (int tick = 0; tick <= TICKS; tick++) {
        for (int i = 0; i < ASKED; i++) {
            ask(world, (uint64_t)tick, i, false, &answers[tick * ASKED + i]);
        }
        if (changes && tick % 3 == 0) {
            struct cn_rng same = rng;
            change_something(world, tick / 3, &rng);
            change_something(plain, tick / 3, &same);
        }
        if (tick % 15 == 0 || tick > TICKS - 3) {
            found += ask_past(world, answers);
        }
        scene_tick(world);
        scene_tick(plain);
        assert_true(cn_world_hash(world) == cn_world_hash(plain));
        for (int body = 0; body < cn_world_body_count(world); body++) {
            asleep += scene_view(world, body).island >= 0;
        }
    }
    assert_true(found > 100);
    assert_true(kind == EXACT || asleep > 0);
    free(answers);
    cn_world_destroy(world);
    cn_world_destroy(plain);
}

static void
test_as_it_was(void **state)
{
    (void)state;
    for (int changes = 0; changes < 2; changes++) {
        run(QUICK, true, changes == 1);
        run(QUICK, false, changes == 1);
        run(EXACT, true, changes == 1);
        run(MESHES, false, changes == 1);
    }
}

static void
refuse(const struct cn_world *world, uint64_t tick, enum cn_status status, const char *text)
{
    struct cn_query query = cn_query_make(CN_QUERY_RAY);
    struct cn_query_hit hit;
    struct cn_defect defect;
    int count;
    query.along.y = 1.0;
    query.has_tick = true;
    query.tick = tick;
    assert_int_equal(cn_world_query(world, &query, &hit, &count, &defect), status);
    if (status != CN_OK) {
        assert_string_equal(defect.path, "tick");
        assert_string_equal(defect.text, text);
    }
}

static void
test_refusals(void **state)
{
    (void)state;
    struct cn_rng rng = {5};
    struct cn_defect defect;
    struct cn_world *world = make_world(QUICK, true, &rng);
    refuse(world, 0, CN_RANGE, "is 0; this world remembers no tick of its past");
    refuse(world, 1, CN_RANGE, "is 1, which is to come: the world is at tick 0");
    scene_ticks(world, 5);
    assert_int_equal(
        cn_world_remember(world, CN_REWIND_TICKS_MAX + 1, &defect), CN_LIMIT);
    assert_string_equal(defect.path, "ticks");
    assert_int_equal(cn_world_remember(world, 3, NULL), CN_OK);
    refuse(world, 4, CN_RANGE,
        "is 4; what is remembered of this world begins at tick 5");
    refuse(world, 5, CN_OK, "");
    scene_ticks(world, 4);
    refuse(world, 9, CN_OK, "");
    refuse(world, 6, CN_OK, "");
    scene_ticks(world, 1);
    refuse(world, 6, CN_RANGE, "is 6; at tick 10 the last 3 ticks are remembered, from 7");

    /* After reading an image a world has no past before that tick. */
    size_t size = cn_world_image_size(world);
    void *image = malloc(size);
    assert_int_equal(cn_world_image_write(world, image, size), size);
    scene_ticks(world, 2);
    assert_int_equal(cn_world_image_read(world, image, size, NULL), CN_OK);
    refuse(world, 9, CN_RANGE,
        "is 9; what is remembered of this world begins at tick 10");
    refuse(world, 10, CN_OK, "");
    refuse(world, 11, CN_RANGE, "is 11, which is to come: the world is at tick 10");
    free(image);

    /* By age, to the nearest tick: at 60 Hz. */
    struct cn_query query = cn_query_make(CN_QUERY_RAY);
    assert_int_equal(cn_query_age(world, &query, 40, 1000, &defect), CN_OK);
    assert_true(query.has_tick && query.tick == 8);
    assert_int_equal(cn_query_age(world, &query, 1001, 1000, &defect), CN_RANGE);
    assert_string_equal(defect.path, "ageMs");
    assert_string_equal(
        defect.text, "is 1001; at most 1000 ms of this world's past are remembered");
    assert_int_equal(cn_query_age(world, &query, 500, 1000, &defect), CN_RANGE);
    assert_string_equal(defect.text, "is 500, which is 30 ticks; the world has done 10");
    cn_world_destroy(world);
}

/* Bodies at rest store no past, and the past of moved bodies is freed after a second. */
static void
test_rest_is_free(void **state)
{
    (void)state;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    for (int i = 0; i < 300; i++) {
        scene_box(&scene, 2.0 * i, 0.5, 1.0, 1.0);
    }
    memcpy(scene.def.settings.stepper, "time", 5);
    memcpy(scene.def.settings.solver, "impulse", 8);
    scene.def.settings.sleep = true;
    struct cn_world *world = scene_create(&scene);
    assert_int_equal(cn_world_remember(world, BACK, NULL), CN_OK);
    size_t empty = cn_world_past(world).size;
    scene_ticks(world, 20);
    assert_true(cn_world_past(world).size > empty);
    scene_ticks(world, 200);
    assert_int_equal(cn_world_count(world).awake_count, 0);
    assert_true(cn_world_past(world).size <= empty + 40 * (BACK + 1) * 32);
    assert_int_equal(cn_world_remember(world, 0, NULL), CN_OK);
    assert_int_equal(cn_world_past(world).size, 0);
    cn_world_destroy(world);
}

/* At the limit of memory the oldest ticks are dropped, and the others still answer. */
static void
test_wall_of_memory(void **state)
{
    (void)state;
    enum { COUNT = 3000, RUN = 360 };
    static struct cn_body_def body[COUNT];
    struct cn_shape_def ball = {.kind = CN_SHAPE_SPHERE};
    struct cn_material_def material = {0};
    struct cn_world_def def;
    ball.sphere.radius = 0.1;
    cn_world_def_init(&def);
    def.settings.dimension = CN_SPATIAL;
    def.settings.gravity = (cn_vec3){0.0, 0.0, 0.0};
    memcpy(def.settings.stepper, "time", 5);
    memcpy(def.settings.solver, "impulse", 8);
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        cn_body_def_init(&body[i]);
        body[i].shapes = &ball;
        body[i].shape_count = 1;
        body[i].mass = 1.0;
        body[i].position = (cn_vec3){i % 60, 0.0, i / 60};
        body[i].velocity.y = 1.0 + 1e-3 * i;
    }
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&def, NULL, &world), CN_OK);
    assert_int_equal(cn_world_remember(world, CN_REWIND_TICKS_MAX, NULL), CN_OK);
    size_t empty = cn_world_past(world).size;
    scene_ticks(world, RUN);
    struct cn_world_past past = cn_world_past(world);
    assert_true(past.first > 0 && past.first < RUN - 250);
    assert_true(past.size <= empty + CN_REWIND_SIZE_MAX);
    assert_true(past.size >= empty + CN_REWIND_SIZE_MAX / 10 * 9);

    /* Ball 7 is at y = v t. */
    struct cn_query query = cn_query_make(CN_QUERY_RAY);
    struct cn_query_hit hit;
    struct cn_defect defect;
    int count;
    query.position = (cn_vec3){7.0, -1.0, 0.0};
    query.along.y = 11.0;
    query.has_tick = true;
    query.tick = past.first;
    assert_int_equal(cn_world_query(world, &query, &hit, &count, NULL), CN_OK);
    assert_int_equal(hit.body, 7);
    assert_true(fabs(hit.point.y + 0.1 - 1.007 * (double)past.first / 60.0) < 1e-3);
    query.tick--;
    assert_int_equal(cn_world_query(world, &query, &hit, &count, &defect), CN_LIMIT);
    assert_string_equal(defect.path, "tick");
    assert_non_null(strstr(defect.text, "for more there was no room in 64 MiB"));
    cn_world_destroy(world);
}

static int
make_all(void **state)
{
    (void)state;
    make_mesh();
    return 0;
}

static int
drop_all(void **state)
{
    (void)state;
    cn_mesh_drop(mesh);
    return 0;
}

/* A body that only turns has a past too: its old orientations. */
static void
test_turning_is_moving(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        for (int quick = 0; quick < 2; quick++) {
            if (planar != 0) {
                scene_init(&scene, 0.0);
            } else {
                scene_init_space(&scene, 0.0);
            }
            if (quick != 0) {
                strcpy(scene.def.settings.stepper, "time");
                strcpy(scene.def.settings.solver, "impulse");
            }
            int turning = scene_box(&scene, 0.0, 0.0, 4.0, 0.2);
            int still = scene_box(&scene, 9.0, 0.0, 1.0, 1.0);
            scene.body[turning].angular_velocity.z = 3.0;
            struct cn_world *world = scene_create(&scene);
            assert_true(cn_history_begin(world, BACK));
            scene_ticks(world, 20);
            for (uint64_t tick = 0; tick <= 20; tick++) {
                assert_int_equal(cn_history_is_same(world->history, turning, tick), tick == 20);
                assert_true(cn_history_is_same(world->history, still, tick));
            }
            struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY};
            command.place_body.body = still;
            command.place_body.orientation = cn_quat_identity();
            command.place_body.position.x = 8.0;
            scene_command(world, &command); /* moved since the last tick */
            assert_false(cn_history_is_same(world->history, still, 20));
            cn_world_destroy(world);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_it_was),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rest_is_free),
        cmocka_unit_test(test_wall_of_memory),
        cmocka_unit_test(test_turning_is_moving),
    };
    return cmocka_run_group_tests(tests, make_all, drop_all);
}
