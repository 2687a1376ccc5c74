/*
 * test_scene_live.c: scenes that follow a world: their names, shapes and bytes, and absent slots.
 */
#include "proto/scene_live.h"

#include "cairn/v1/scene.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

static const char TEXT[] =
    "bodies:\n"
    "  - {name: floor, type: STATIC, shapes: [{box: {size: {x: 9, y: 1}}}]}\n"
    "  - {mass: 1, position: {y: 2}, shapes: [{circle: {radius: 0.25}},\n"
    "     {polygon: {vertices: [{x: 1}, {y: 1}, {x: -1}]}, position: {x: 3}}]}\n"
    "  - {name: last, mass: 1, position: {y: 5}, shapes: [{circle: {radius: 0.5}}]}\n"
    "joints: [{fixed: {bodyA: last, bodyB: body1}}, {name: pin, ball: {bodyB: last}}]\n";

static int
set_up(void **state)
{
    struct wire_text_error error;
    *state = wire_scene_parse(TEXT, sizeof(TEXT) - 1, &error);
    return *state != NULL ? 0 : -1;
}

static int
tear_down(void **state)
{
    wire_scene_destroy(*state);
    return 0;
}

/* The scene by its bytes, after something has been done to its message. */
static struct wire_scene *
show_spoilt(const struct wire_scene *scene, void (*spoil)(Cairn__V1__Scene *))
{
    size_t size;
    uint8_t *bytes = wire_scene_pack(scene, &size);
    Cairn__V1__Scene *message = cairn__v1__scene__unpack(NULL, size, bytes);
    assert_non_null(message);
    spoil(message);
    size = cairn__v1__scene__get_packed_size(message);
    uint8_t *spoilt = malloc(size);
    assert_non_null(spoilt);
    cairn__v1__scene__pack(message, spoilt);
    struct wire_scene *shown = wire_scene_show(spoilt, size, scene);
    cairn__v1__scene__free_unpacked(message, NULL);
    free(spoilt);
    free(bytes);
    return shown;
}

static void
leave_it(Cairn__V1__Scene *message)
{
    (void)message;
}

static void
test_names_and_shapes(void **state)
{
    const struct wire_scene *given = *state;
    struct wire_scene *shown = show_spoilt(given, leave_it);
    assert_non_null(shown);
    const struct wire_scene *both[] = {given, shown};
    for (int i = 0; i < 2; i++) {
        cn_vec3 vertices[WIRE_SHAPE_VERTICES_MAX];
        struct cn_shape_def def;
        assert_string_equal(wire_scene_body_name(both[i], 0), "floor");
        assert_string_equal(wire_scene_body_name(both[i], 1), "body1");
        assert_string_equal(wire_scene_body_name(both[i], 2), "last");
        assert_string_equal(wire_scene_joint_name(both[i], 0), "joint0");
        assert_string_equal(wire_scene_joint_name(both[i], 1), "pin");
        assert_int_equal(wire_scene_shape_count(both[i], 0), 1);
        assert_int_equal(wire_scene_shape_count(both[i], 1), 2);
        wire_scene_shape(both[i], 1, 0, vertices, &def);
        assert_int_equal(def.kind, CN_SHAPE_CIRCLE);
        assert_true(def.circle.radius == 0.25);
        wire_scene_shape(both[i], 1, 1, vertices, &def);
        assert_int_equal(def.kind, CN_SHAPE_POLYGON);
        assert_int_equal(def.polygon.vertex_count, 3);
        assert_true(def.polygon.vertices[2].x == -1.0 && def.position.x == 3.0);
        assert_true(def.orientation.w == 0.0);
    }
    wire_scene_destroy(shown);
}

static void
leave_out_a_body(Cairn__V1__Scene *message)
{
    cairn__v1__body__free_unpacked(message->bodies[--message->n_bodies], NULL);
}

static void
leave_out_a_joint(Cairn__V1__Scene *message)
{
    cairn__v1__joint__free_unpacked(message->joints[--message->n_joints], NULL);
}

/* A scene that could not follow its world has fewer places than that. */
static void
test_behind(void **state)
{
    struct wire_scene *shown = show_spoilt(*state, leave_out_a_body);
    assert_non_null(shown);
    assert_string_equal(wire_scene_body_name(shown, 1), "body1");
    assert_string_equal(wire_scene_body_name(shown, 2), "unknown");
    assert_int_equal(wire_scene_shape_count(shown, 2), 0);
    wire_scene_destroy(shown);
    shown = show_spoilt(*state, leave_out_a_joint);
    assert_non_null(shown);
    assert_string_equal(wire_scene_joint_name(shown, 0), "joint0");
    assert_string_equal(wire_scene_joint_name(shown, 1), "unknown");
    wire_scene_destroy(shown);
}

static void
take_its_form(Cairn__V1__Scene *message)
{
    Cairn__V1__Shape *shape = message->bodies[0]->shapes[0];
    protobuf_c_message_free_unpacked(&shape->box->base, NULL);
    shape->shape_case = CAIRN__V1__SHAPE__SHAPE__NOT_SET;
}

static void
give_it_many_vertices(Cairn__V1__Scene *message)
{
    Cairn__V1__Shape__Polygon *polygon = message->bodies[1]->shapes[1]->polygon;
    size_t count = WIRE_SHAPE_VERTICES_MAX + 1;
    Cairn__V1__Vec3 **more = realloc(polygon->vertices, count * sizeof(*more));
    assert_non_null(more);
    for (size_t i = polygon->n_vertices; i < count; i++) {
        more[i] = malloc(sizeof(*more[i]));
        assert_non_null(more[i]);
        cairn__v1__vec3__init(more[i]);
    }
    polygon->vertices = more;
    polygon->n_vertices = count;
}

static void
name_a_mesh(Cairn__V1__Scene *message)
{
    Cairn__V1__Shape *shape = message->bodies[0]->shapes[0];
    protobuf_c_message_free_unpacked(&shape->box->base, NULL);
    Cairn__V1__Shape__OfMesh *mesh = malloc(sizeof(*mesh));
    assert_non_null(mesh);
    cairn__v1__shape__of_mesh__init(mesh);
    mesh->name = strdup("none");
    shape->mesh = mesh;
    shape->shape_case = CAIRN__V1__SHAPE__SHAPE_MESH;
}

static void
bring_a_mesh(Cairn__V1__Scene *message)
{
    message->meshes = malloc(sizeof(*message->meshes));
    assert_non_null(message->meshes);
    message->meshes[0] = malloc(sizeof(**message->meshes));
    assert_non_null(message->meshes[0]);
    cairn__v1__mesh__init(message->meshes[0]);
    message->n_meshes = 1;
}

static void
test_none(void **state)
{
    void (*const ways[])(Cairn__V1__Scene *) = {
        take_its_form, give_it_many_vertices, name_a_mesh, bring_a_mesh};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        assert_null(show_spoilt(*state, ways[i]));
    }
    assert_null(wire_scene_show((const uint8_t *)"\377", 1, *state));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_shapes),
        cmocka_unit_test(test_behind),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
