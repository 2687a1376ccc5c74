/*
 * test_hulls.c: hulls in space, on planes, boxes and each other: verdicts and margins known by
 * hand, and every certificate verified.
 */
#include "tests/unit/prove/rig.h"

/* A block as a hull is held as the same cuboid is: four contacts, each of 10 N / 4. */
static void
test_block(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        begin(0.0);
        if (kind % 2 == 0) {
            scene_floor(&scene);
        } else {
            add_static_box(0.0, -0.5, 0.0, 4.0, 1.0, 4.0);
        }
        int block = add_block(0.25, 0.5, 0.5, 1.0, 1.0, 1.0);
        if (kind >= 2) {
            turn(block, 0.0, 1.0, 0.0, 0.7);
        }
        expect(PV_STABLE, 2.5);
        assert_int_equal(contacts, 4);
    }
}

/*
 * A block of 1 m reaches over an edge.  Its centre is exactly above the edge, or 10^-9 m to either
 * side.
 */
static void
test_overhang(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k++) {
        begin(0.0);
        add_static_box(-1.0, -0.5, 0.0, 2.0, 1.0, 4.0);
        add_block(1e-9 * k, 0.5, 0.0, 1.0, 1.0, 1.0);
        expect(k < 0 ? PV_STABLE : k > 0 ? PV_UNSTABLE : PV_CRITICAL, k == 0 ? 0.0 : (double)NAN);
        assert_int_equal(contacts, 4);
    }
}

/*
 * A tetrahedron with one edge (0, 0, 0)-(0, 0, 3) of its foot and a corner at x = 2; its top is at
 * x = 4 t, so its centre is at x = (2 + 4 t) / 4.  The foot ends at x = 0: it falls for t < -1/2.
 */
static void
test_tetrahedron(void **state)
{
    (void)state;
    static const double top[] = {0.0, -0.5 + 1e-9, -0.5, -0.5 - 1e-9};
    static const enum pv_verdict verdict[] = {PV_STABLE, PV_STABLE, PV_CRITICAL, PV_UNSTABLE};
    for (int k = 0; k < 8; k++) {
        cn_vec3 v[4] = {{0, 0, 0}, {0, 0, 3}, {2, 0, 1.5}, {4.0 * top[k % 4], 2, 1.5}};
        begin(0.0);
        if (k < 4) {
            scene_floor(&scene);
        } else {
            add_static_box(0.5, -0.5, 1.0, 9.0, 1.0, 9.0);
        }
        add_hull(0.0, 0.0, 0.0, v, 4);
        expect(verdict[k % 4], k % 4 == 2 ? 0.0 : (double)NAN);
        assert_int_equal(contacts, 3);
    }
}

/* Turned bodies stand as the same body that is not turned: an octahedron on a face. */
static void
test_octahedron(void **state)
{
    (void)state;
    static const cn_vec3 v[6] = {
        {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    begin(0.0);
    scene_floor(&scene);
    add_hull(0.0, 1.0, 0.0, v, 6); /* on a corner: one force holds it */
    expect(PV_STABLE, 10.0);
    assert_int_equal(contacts, 1);
    begin(0.0);
    scene_floor(&scene);
    int body = add_hull(0.0, sqrt(0.5), 0.0, v, 6); /* on an edge: the centre is above it */
    turn(body, 0.0, 0.0, 1.0, atan(1.0));
    expect(PV_STABLE, 5.0);
    assert_int_equal(contacts, 2);
    for (int on_box = 0; on_box < 2; on_box++) {
        begin(0.0);
        if (on_box == 0) {
            scene_floor(&scene);
        } else {
            add_static_box(0.0, -0.5, 0.0, 4.0, 1.0, 4.0);
        }
        body = add_hull(0.0, 1.0 / sqrt(3.0), 0.0, v, 6);
        turn(body, 1.0, 0.0, -1.0, acos(1.0 / sqrt(3.0))); /* the normal (1, 1, 1) up */
        expect(PV_STABLE, 10.0 / 3.0);
        assert_int_equal(contacts, 3);
    }
}

/* A wedge of 3, 4 and 5 m: a block on it needs friction above its slope, 3 / 4. */
static void
test_incline(void **state)
{
    (void)state;
    static const double off[] = {1e-3, 1e-6, -1e-6, -1e-3};
    static const cn_vec3 v[6] = {
        {0, 0, -1}, {4, 0, -1}, {0, 3, -1}, {0, 0, 1}, {4, 0, 1}, {0, 3, 1}};
    for (int k = 0; k < 8; k++) {
        begin(0.75 + off[k % 4]);
        int wedge = add_hull(0.0, 0.0, 0.0, v, 6);
        scene.body[wedge].type = CN_STATIC;
        int block = k < 4 ? add_block(2.3, 1.9, 0.0, 1.0, 1.0, 1.0)
                          : scene_box(&scene, 2.3, 1.9, 1.0, 1.0);
        scene.body[block].mass = 1.0;
        turn(block, 0.0, 0.0, 1.0, -atan(0.75));
        expect(off[k % 4] > 0.0 ? PV_STABLE : PV_UNSTABLE, (double)NAN);
        assert_int_equal(contacts, 4);
    }
}

/* Two roofs, ridge across ridge: they touch at one point, below the centre. */
static void
test_ridges(void **state)
{
    (void)state;
    static const cn_vec3 lower[6] = {
        {-2, -1, -1}, {2, -1, -1}, {-2, -1, 1}, {2, -1, 1}, {-2, 0, 0}, {2, 0, 0}};
    static const cn_vec3 upper[6] = {
        {-1, 1, -2}, {1, 1, -2}, {-1, 1, 2}, {1, 1, 2}, {0, 0, -2}, {0, 0, 2}};
    for (int k = 0; k < 3; k++) {
        begin(0.0);
        int under = add_hull(0.0, 0.0, 0.0, lower, 6);
        scene.body[under].type = CN_STATIC;
        int over = add_hull(k == 1 ? 1e-9 : 0.0, k == 2 ? 1e-7 : 0.0, 0.0, upper, 6);
        expect(k == 1 ? PV_STABLE : PV_STABLE, 10.0);
        assert_int_equal(contacts, 1);
        scene.body[over].has_center = true; /* the centre beside the point: nothing holds it */
        scene.body[over].center_of_mass = cn_vec3_make(0.0, 0.5, 1e-9);
        expect(PV_UNSTABLE, (double)NAN);
        scene.body[over].has_center = false;
        scene.body[over].position.y = -1e-3;
        expect_refused(CN_GEOMETRY, "overlaps bodies[0] by 0.001 m");
    }
}

/* A ridge along a ridge: they touch at both ends of what they share, turned or not. */
static void
test_ridge_along(void **state)
{
    (void)state;
    static const cn_vec3 lower[6] = {
        {-1, -1, -2}, {1, -1, -2}, {-1, -1, 2}, {1, -1, 2}, {0, 0, -2}, {0, 0, 2}};
    static const cn_vec3 upper[6] = {
        {-1, 1, -1}, {1, 1, -1}, {-1, 1, 2}, {1, 1, 2}, {0, 0, -1}, {0, 0, 3}};
    for (int k = 0; k < 8; k++) {
        struct pv_choice choice = {.side_contacts = true};
        struct pv_arrangement a;
        struct cn_defect defect;
        begin(0.0);
        scene.body[add_hull(7.0, 0.0, -3.0, lower, 6)].type = CN_STATIC;
        add_hull(7.0, 0.0, -3.0, upper, 6);
        turn(0, 0.1, 1.0, 0.3, 0.4 * k);
        turn(1, 0.1, 1.0, 0.3, 0.4 * k);
        assert_int_equal(pv_arrangement_init(&a, &scene.def, &choice, &defect), CN_OK);
        assert_true(a.contact_count >= 2 && a.contact_count <= 4);
        double far[2] = {0.0, 0.0};
        for (int c = 0; c < a.contact_count; c++) { /* at -1 and 2 m along the ridge */
            double x = pv_double(a.contact[c].point.c[0]) - 7.0;
            double y = pv_double(a.contact[c].point.c[1]);
            double z = pv_double(a.contact[c].point.c[2]) + 3.0, r = sqrt(x * x + y * y + z * z);
            if (!(fabs(r - 1.0) < 1e-9 || fabs(r - 2.0) < 1e-9)) {
                fail_msg("turn %d: %.17g", k, r);
            }
            far[r > 1.5] = r;
        }
        assert_true(far[0] > 0.5 && far[1] > 1.5);
        pv_arrangement_finish(&a);
    }
}

/*
 * A half ring of wedges between two fixed ones.  Thick enough it stands; Milankovitch 1907: the
 * thickness is to be at least 0.1075 of the mean radius.
 */
static void
build_arch(int stones, double thickness)
{
    double pi = 3.14159265358979324;
    begin(0.9);
    for (int i = -1; i <= stones; i++) {
        cn_vec3 v[8];
        double middle = pi * (i + 0.5) / stones, half = pi / stones / 2.0;
        for (int k = 0; k < 8; k++) { /* in a frame that is turned by `middle` */
            double r = 1.0 + ((k & 1) != 0 ? 0.5 : -0.5) * thickness;
            double a = (k & 2) != 0 ? half : -half;
            v[k] = cn_vec3_make(
                r * cos(a) - 1.0, r * sin(a), (k & 4) != 0 ? 0.25 : -0.25);
        }
        int stone = add_hull(cos(middle), sin(middle), 0.0, v, 8);
        turn(stone, 0.0, 0.0, 1.0, middle);
        scene.shape[stone].density = 1.0;
        scene.body[stone].mass = 0.0;
        scene.body[stone].type = i < 0 || i == stones ? CN_STATIC : CN_DYNAMIC;
    }
}

static void
test_arch(void **state)
{
    (void)state;
    build_arch(17, 0.2);
    expect(PV_STABLE, (double)NAN);
    assert_int_equal(contacts, 4 * 18);
    build_arch(17, 0.12);
    expect(PV_STABLE, (double)NAN);
    build_arch(17, 0.09);
    expect(PV_UNSTABLE, (double)NAN);
}

/*
 * A turned wall of 96 blocks: its exact forces by a general system have too many digits, those by a
 * tree of bodies do not.  The margin is that of the same wall that is not turned.
 */
static void
test_turned_wall(void **state)
{
    (void)state;
    double low[2];
    for (int k = 0; k < 2; k++) {
        double angle = 0.3 * k;
        begin(0.5);
        scene_floor(&scene);
        for (int i = 0; i < 96; i++) {
            double x = i % 8 + (i / 8 % 2 == 0 ? 0.0 : 0.43);
            int block = add_block_at(x * cos(angle), 0.25 + 0.5 * (i / 8), -x * sin(angle));
            turn(block, 0.0, 1.0, 0.0, angle);
        }
        struct pv_choice choice = {.side_contacts = true, .friction = true};
        struct pv_answer answer;
        struct cn_defect defect;
        assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
        assert_int_equal(answer.verdict, PV_STABLE);
        low[k] = pv_double(answer.margin);
        pv_answer_finish(&answer);
        expect(PV_STABLE, (double)NAN);
    }
    assert_true(fabs(low[0] - low[1]) < 1e-5);
}

/* Frustums, each on the smaller top of the one below it. */
static void
test_tower(void **state)
{
    (void)state;
    for (int sides = 3; sides <= 40; sides += 37) {
        begin(0.0);
        scene_floor(&scene);
        for (int i = 0; i < 5; i++) {
            cn_vec3 v[80];
            for (int k = 0; k < sides; k++) {
                double angle = 6.28318530717958648 * k / sides;
                v[k] = cn_vec3_make(cos(angle), 0.0, sin(angle));
                v[sides + k] = cn_vec3_make(0.5 * cos(angle), 1.0, 0.5 * sin(angle));
            }
            int body = add_hull(0.1 * i, i, 0.0, v, 2 * (sides < 32 ? sides : 32));
            turn(body, 0.0, 1.0, 0.0, 0.3 * i);
        }
        if (sides == 3) {
            expect(PV_STABLE, (double)NAN);
            scene.body[5].position.x = 1.5;
            expect(PV_UNSTABLE, (double)NAN);
        }
    }
}

/* Mass, centre and inertia are those that the engine finds in doubles. */
static void
test_masses(void **state)
{
    (void)state;
    static const cn_vec3 v[6] = {
        {0, 0, 0}, {0.3, 0, 3}, {2, 0.7, 1.5}, {-1, 2, 1.5}, {1, 1, 1}, {0.5, 2, -0.75}};
    for (int kind = 0; kind < 3; kind++) {
        begin(0.0);
        if (kind == 0) {
            add_hull(1.0, 2.0, 3.0, v, 6);
        } else {
            scene_capsule(&scene, 1.0, 2.0, 0.4, 1.7);
            scene.def.settings.dimension = kind == 1 ? CN_SPATIAL : CN_PLANAR;
        }
        struct cn_shape_def *shape = &scene.shape[0];
        shape->density = 3.0;
        shape->position = cn_vec3_make(0.25, -0.5, kind == 2 ? 0.0 : 0.125);
        shape->angle = kind == 2 ? 0.3 : 0.0;
        shape->orientation = kind == 2 ? (cn_quat){0} : (cn_quat){0.8, 0.36, 0.48, 0.0};
        scene.body[0].mass = 0.0;
        check_definition();
        struct cn_mass_properties is =
            cn_shape_mass(shape, scene.def.settings.dimension, shape->density);
        struct pv_choice choice = {.side_contacts = true};
        struct pv_arrangement a;
        struct cn_defect defect;
        assert_int_equal(pv_arrangement_init(&a, &scene.def, &choice, &defect), CN_OK);
        assert_true(fabs(pv_double(a.body[0].mass) - is.mass) < 1e-12 * is.mass);
        assert_true(fabs(pv_double(a.body[0].center.c[0]) - 1.0 - is.center.x) < 1e-12);
        assert_true(fabs(pv_double(a.body[0].center.c[1]) - 2.0 - is.center.y) < 1e-12);
        const double tensor[9] = {is.inertia.cx.x, is.inertia.cy.x, is.inertia.cz.x,
            is.inertia.cx.y, is.inertia.cy.y, is.inertia.cz.y, is.inertia.cx.z, is.inertia.cy.z,
            is.inertia.cz.z};
        for (int k = 0; k < 9 && kind < 2; k++) {
            assert_true(fabs(pv_double(a.body[0].tensor[k]) - tensor[k]) < 1e-12 * is.mass);
        }
        if (kind == 2) {
            assert_true(fabs(pv_double(a.body[0].inertia) - tensor[8]) < 1e-12 * is.mass);
        }
        pv_arrangement_finish(&a);
    }
}

/* Overlaps name their depth; a shape without a finite set of contact points is refused. */
static void
test_refused(void **state)
{
    (void)state;
    begin(0.0);
    add_block(0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    add_block(0.0, 0.999, 0.0, 1.0, 1.0, 1.0);
    expect_refused(CN_GEOMETRY, "overlaps bodies[0] by 0.001 m");
    begin(0.0);
    add_block(0.0, 0.0, 0.0, 1.0, 1.0, 1.0);
    add_ball(0.0, 0.0, 0.0, 0.25);
    expect_refused(CN_GEOMETRY, "overlaps bodies[0] by 0.25 m");
    scene_init(&scene, G);
    static const cn_vec3 outline[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int body = scene_polygon(&scene, 0.0, 0.0, outline, 3);
    scene.shape[body].kind = CN_SHAPE_OUTLINE;
    scene.shape[body].boundary.points = outline;
    scene.shape[body].boundary.point_count = 3;
    scene.shape[body].boundary.closed = true;
    expect_refused(CN_GEOMETRY,
        "has the kind outline; a check accepts box, polygon, circle, sphere, capsule and plane");
}

/* The phases that a watch gets, in their order; parts are from 0 to 1. */
struct seen {
    char text[400];
    const char *last;
};

static void
note_phase(void *context, const char *phase, double part)
{
    struct seen *seen = context;
    assert_true(part <= 1.0 && (part >= 0.0 || part == PV_GOES_ON));
    if (seen->last == NULL || strcmp(seen->last, phase) != 0) {
        assert_true(strlen(seen->text) + strlen(phase) + 2 < sizeof(seen->text));
        strcat(strcat(seen->text, phase), ";");
        seen->last = phase;
    }
}

static void
test_watched(void **state)
{
    (void)state;
    struct seen seen = {.last = NULL}, verified = {.last = NULL};
    struct pv_choice choice = {.side_contacts = true, .watch = {note_phase, &seen}};
    struct vf_watch watch = {note_phase, &verified};
    struct pv_answer answer;
    struct cn_defect defect;
    struct vf_finding finding;
    struct wire_json json;
    begin(0.0);
    scene_floor(&scene);
    add_block(0.0, 0.5, 0.0, 1.0, 1.0, 1.0);
    add_block(0.75, 1.5, 0.0, 1.0, 1.0, 1.0);
    assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
    assert_int_equal(pv_answer_find_start(&answer, &defect), CN_OK);
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    assert_string_equal(seen.text,
        "reading shapes;finding contacts;looking for forces;proving in exact numbers;"
        "finding first accelerations;writing the certificate;");
    assert_true(vf_verify_watched(&scene.def, json.data, json.size, &watch, &finding));
    assert_string_equal(verified.text,
        "reading shapes;finding contacts;checking forces;checking the motion;");
    wire_json_finish(&json);
    pv_answer_finish(&answer);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_overhang),
        cmocka_unit_test(test_tetrahedron),
        cmocka_unit_test(test_octahedron),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_ridges),
        cmocka_unit_test(test_ridge_along),
        cmocka_unit_test(test_arch),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_turned_wall),
        cmocka_unit_test(test_masses),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
