/*
 * test_view_asleep.c: what sleeps shows its contacts as it did awake, and a look changes nothing.
 */
#include "engine/world/world_inside.h"

#include "engine/mesh/torus.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/near.h"

#define SLEEP_TICKS_MAX 1200
#define CONTACTS_MAX 512
#define GRAVITY 10.0

static struct scene scene;
static struct cn_contact_view before[CONTACTS_MAX];

static void
use_impulse(void)
{
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "impulse");
    scene_friction(&scene, 0, 0.6);
}

static int
awake_count(const struct cn_world *world)
{
    int count = 0;
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view body = scene_view(world, i);
        count += body.type == CN_DYNAMIC && !body.absent && body.island < 0;
    }
    return count;
}

/*
 * Ticks until all bodies sleep.  before[] gets the contacts of the last tick before that; returns
 * their count.
 */
static int
let_sleep(struct cn_world *world)
{
    int count = 0;
    for (int tick = 0; tick < SLEEP_TICKS_MAX && awake_count(world) > 0; tick++) {
        const struct cn_contact_view *contacts;
        count = cn_world_contacts(world, &contacts);
        assert_true(count <= CONTACTS_MAX);
        memcpy(before, contacts, (size_t)count * sizeof(before[0]));
        scene_tick(world);
    }
    assert_int_equal(awake_count(world), 0);
    return count;
}

static const struct cn_contact_view *
find(const struct cn_contact_view *contacts, int count, uint64_t id)
{
    for (int i = 0; i < count; i++) {
        if (contacts[i].id == id) {
            return &contacts[i];
        }
    }
    return NULL;
}

/* Each contact of the last awake tick is still shown, with its force, its place and its gap. */
static void
assert_as_before(const struct cn_world *world, int count, double weight)
{
    const struct cn_contact_view *now;
    uint64_t hash = cn_world_hash(world);
    int shown = cn_world_contacts(world, &now);
    assert_int_equal(cn_world_hash(world), hash);
    assert_int_equal(shown, cn_world_contact_count(world));
    assert_int_equal(shown, count);
    for (int i = 0; i < count; i++) {
        const struct cn_contact_view *here = find(now, shown, before[i].id);
        assert_non_null(here);
        assert_int_equal(here->body_a, before[i].body_a);
        assert_int_equal(here->body_b, before[i].body_b);
        assert_near(here->force, before[i].force, 0.02 * weight);
        assert_near(cn_vec3_length(cn_vec3_sub(here->point, before[i].point)), 0.0, 2e-3);
        assert_near(cn_vec3_dot(here->normal, before[i].normal), 1.0, 1e-4);
        assert_near(here->gap, before[i].gap, 1e-3);
        assert_near(here->velocity, 0.0, 0.0);
    }
}

/* The floor's contact forces, which bear the stack's weight, asleep or awake. */
static double
floor_force(const struct cn_world *world)
{
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    double force = 0.0;
    for (int i = 0; i < count; i++) {
        force += contacts[i].body_a == 0 ? contacts[i].force * contacts[i].normal.y : 0.0;
    }
    return force;
}

static void
test_stack(void **unused)
{
    (void)unused;
    scene_init(&scene, GRAVITY);
    use_impulse();
    scene_floor(&scene);
    for (int i = 0; i < 5; i++) {
        int box = scene_box(&scene, 0.0, 0.5 + i, 1.0, 1.0);
        scene.body[box].mass = 2.0;
    }
    int ball = scene_circle(&scene, 3.0, 0.5, 0.5);
    scene.body[ball].mass = 2.0;
    struct cn_world *world = scene_create(&scene);
    int count = let_sleep(world);
    assert_int_equal(count, 11);
    assert_as_before(world, count, 10.0 * GRAVITY);
    assert_near(floor_force(world), 12.0 * GRAVITY, 1.2);
    scene_ticks(world, 10);
    assert_as_before(world, count, 10.0 * GRAVITY);

    /* A body that is removed between two ticks has no contacts any more. */
    assert_int_equal(cn_world_remove_body(world, ball, NULL), CN_OK);
    const struct cn_contact_view *contacts;
    assert_int_equal(cn_world_contacts(world, &contacts), count - 1);
    assert_int_equal(cn_world_contact_count(world), count - 1);
    scene_ticks(world, 2);
    assert_int_equal(cn_world_contacts(world, &contacts), count - 1);
    cn_world_destroy(world);
}

/* A box that is put to sleep after it left the floor has no contacts, and the view shows none. */
static void
test_leaving(void **unused)
{
    (void)unused;
    scene_init(&scene, GRAVITY);
    use_impulse();
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    const struct cn_command leave = {.kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = box, .velocity = {0.0, 3.0, 0.0}}};
    const struct cn_command sleep = {
        .kind = CN_COMMAND_SLEEP_BODY, .sleep_body = {.body = box, .asleep = true}};
    scene_command(world, &leave);
    scene_tick(world);
    scene_command(world, &sleep);
    scene_tick(world);
    assert_int_equal(awake_count(world), 0);
    assert_true(scene_view(world, box).position.y > 0.53);
    const struct cn_contact_view *contacts;
    assert_int_equal(cn_world_contacts(world, &contacts), 0);
    assert_int_equal(cn_world_contact_count(world), 0);
    cn_world_destroy(world);
}

/* The pieces of an outline keep their contacts' ids. */
static void
test_pieces(void **unused)
{
    (void)unused;
    static const cn_vec3 cross[] = {{1.5, 0.0, 0.0}, {1.5, 1.0, 0.0}, {0.5, 1.0, 0.0},
        {0.5, 2.0, 0.0}, {-0.5, 2.0, 0.0}, {-0.5, 1.0, 0.0}, {-1.5, 1.0, 0.0}, {-1.5, 0.0, 0.0}};
    scene_init(&scene, GRAVITY);
    use_impulse();
    scene_floor(&scene);
    int outline = scene_polygon(&scene, 0.0, 0.0, cross, 8);
    scene.shape[outline].kind = CN_SHAPE_OUTLINE;
    scene.shape[outline].boundary.points = cross;
    scene.shape[outline].boundary.point_count = 8;
    scene.shape[outline].boundary.closed = true;
    scene_box(&scene, 1.0, 1.25, 0.4, 0.5);
    scene_box(&scene, -1.0, 1.25, 0.4, 0.5);
    struct cn_world *world = scene_create(&scene);
    int count = let_sleep(world);
    assert_true(count >= 6);
    assert_as_before(world, count, 3.0 * GRAVITY);
    cn_world_destroy(world);
}

static int
space_box(double x, double y, double z)
{
    int box = scene_box(&scene, x, y, 1.0, 1.0);
    scene.body[box].position.z = z;
    scene.shape[box].box.size.z = 1.0;
    return box;
}

static struct cn_world *
make_space(void)
{
    scene_init_space(&scene, GRAVITY);
    use_impulse();
    scene_floor(&scene);
    for (int i = 0; i < 4; i++) {
        space_box(0.1 * i, 0.5 + i, 0.0);
    }
    return scene_create(&scene);
}

/* A ring on a ring on the floor: points find their impulses by their places. */
static void
test_meshes(void **unused)
{
    (void)unused;
    enum { MAJOR = 16, MINOR = 10 };
    static cn_vec3 vertex[MAJOR * MINOR];
    static int32_t triangle[2 * MAJOR * MINOR][3];
    const struct cn_torus torus = {1.0, 0.3, MAJOR, MINOR};
    cn_torus_make(&torus, vertex, triangle);
    const struct cn_mesh_def def = {.vertex_count = MAJOR * MINOR,
        .triangle_count = 2 * MAJOR * MINOR,
        .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    struct cn_mesh *mesh;
    assert_int_equal(cn_mesh_make(&def, &mesh, NULL), CN_OK);
    scene_init_space(&scene, GRAVITY);
    use_impulse();
    scene_floor(&scene);
    scene.def.meshes = &mesh;
    scene.def.mesh_count = 1;
    for (int i = 0; i < 2; i++) {
        int ring = space_box(0.05 * i, 0.31 + 0.62 * i, 0.0);
        scene.shape[ring] = (struct cn_shape_def){.kind = CN_SHAPE_MESH, .mesh = {0, mesh}};
        scene.body[ring].orientation = (cn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
        scene.body[ring].mass = 1.0;
    }
    struct cn_world *world = scene_create(&scene);
    cn_mesh_drop(mesh);
    assert_true(let_sleep(world) >= 6);
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    assert_true(count >= 6);
    for (int i = 0; i < count; i++) {
        assert_true(contacts[i].gap > -0.01);
    }
    assert_near(floor_force(world), 2.0 * GRAVITY, 0.1);
    cn_world_destroy(world);
}

static void
test_space(void **unused)
{
    (void)unused;
    struct cn_world *world = make_space();
    int count = let_sleep(world);
    assert_int_equal(count, 16);
    assert_as_before(world, count, 4.0 * GRAVITY);
    assert_near(floor_force(world), 4.0 * GRAVITY, 0.4);

    /* A restored world shows the same, before its first tick and after it. */
    size_t size = cn_world_image_size(world);
    void *image = malloc(size);
    assert_int_equal(cn_world_image_write(world, image, size), size);
    struct cn_world *other = scene_create(&scene);
    assert_int_equal(cn_world_image_read(other, image, size, NULL), CN_OK);
    assert_as_before(other, count, 4.0 * GRAVITY);
    scene_ticks(world, 3);
    scene_ticks(other, 3);
    assert_as_before(other, count, 4.0 * GRAVITY);
    assert_int_equal(cn_world_hash(other), cn_world_hash(world));
    free(image);
    cn_world_destroy(other);
    cn_world_destroy(world);
}

/*
 * A world whose contacts are looked at has the same bits as another one, through sleep and waking.
 */
static void
test_a_look_changes_nothing(void **unused)
{
    (void)unused;
    struct cn_world *seen = make_space(), *unseen = make_space();
    for (int tick = 0; tick < 400; tick++) {
        if (tick == 250) {
            struct cn_command push = {.kind = CN_COMMAND_SET_VELOCITY,
                .set_velocity = {.body = 4, .velocity = {0.5, 0.0, 0.2}}};
            scene_command(seen, &push);
            scene_command(unseen, &push);
        }
        const struct cn_contact_view *contacts;
        cn_world_contacts(seen, &contacts);
        scene_tick(seen);
        scene_tick(unseen);
        assert_int_equal(cn_world_hash(seen), cn_world_hash(unseen));
    }
    cn_world_destroy(seen);
    cn_world_destroy(unseen);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_a_look_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
