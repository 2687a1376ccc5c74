/*
 * test_verify.c: true certificates are accepted, and not one of thousands of changed ones.
 *
 * A change that alters what a certificate says is one of a number, a word, an index or a truth
 * value, or an entry of a list gone or doubled.  The one thing that may be changed and still prove
 * the same is the motion, of which there can be many: for it the test works out by itself whether
 * the changed motion is still a proof, and the verifier has to agree.
 */
#include "prove/write.h"
#include "tests/support/world/scene.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TOKENS_MAX 4096
#define TEXT_MAX (1 << 18)

static struct scene scene;
static struct pv_answer answer;
static int change_count;

/* The arrangements: each fills `scene`. */
static void
make_stack(void)
{
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    for (int i = 0; i < 3; i++) {
        scene_box(&scene, 0.1 * i, 0.25 + 0.5 * i, 1.0, 0.5);
    }
}

static void
make_diamond(void)
{
    scene_init(&scene, 1.0);
    scene_floor(&scene);
    for (int row = 0; row < 9; row++) {
        int count = row < 5 ? row + 1 : 9 - row;
        for (int i = 0; i < count; i++) {
            scene_box(&scene, i - 0.5 * (count - 1), 0.125 + 0.25 * row, 1.0, 0.25);
        }
    }
}

static void
make_critical(void)
{
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    const double x[4] = {0.0, 1.0 / 6.0, 5.0 / 12.0, 11.0 / 12.0};
    for (int i = 0; i < 4; i++) {
        scene_box(&scene, x[i], 0.125 + 0.25 * i, 1.0, 0.25);
    }
}

static void
make_slope(void)
{
    scene_init(&scene, 9.81);
    scene_plane(&scene, 0.6, 0.8, 0.0);
    int box = scene_box(&scene, 0.3, 0.4, 1.0, 1.0);
    scene.body[box].angle = -0.6435011087932844; /* asin(0.6), downwards to the right */
}

static void
make_press(void)
{
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    scene_plane(&scene, 0.0, -1.0, -1.0);
    scene_box(&scene, 0.0, 0.5, 2.0, 1.0);
}

static void
make_rough_slope(void)
{
    make_slope();
    scene.material[0].static_friction = 0.8;
}

static void
make_slippery_slope(void)
{
    make_slope();
    scene.material[0].static_friction = 0.7;
}

static void
make_groove(void)
{
    scene_init(&scene, 9.81);
    scene_plane(&scene, 0.8, 0.6, 0.0);
    scene_plane(&scene, -0.6, 0.8, 0.0);
    scene_circle(&scene, 0.2, 1.4, 1.0);
    scene_box(&scene, 0.2, 2.65, 0.25, 0.5);
}

/* A box without a contact below it, held by rough walls on both sides. */
static void
make_wedged(void)
{
    scene_init(&scene, 9.81);
    scene.material[0].static_friction = 0.5;
    scene_plane(&scene, 1.0, 0.0, -0.5);
    scene_plane(&scene, -1.0, 0.0, -0.5);
    scene_box(&scene, 0.0, 3.0, 1.0, 1.0);
}

static int
make_cuboid(double x, double y, double z, double size)
{
    int box = scene_box(&scene, x, y, size, size);
    scene.body[box].position.z = z;
    scene.shape[box].box.size.z = size;
    return box;
}

/* Two boxes, one on the other; the upper one is turned about the vertical. */
static void
make_space(void)
{
    scene_init(&scene, 1.0);
    scene.def.settings.dimension = CN_SPATIAL;
    scene_floor(&scene);
    make_cuboid(0.0, 0.5, 0.0, 1.0);
    int upper = make_cuboid(0.1, 1.5, 0.25, 1.0);
    scene.body[upper].orientation = (cn_quat){0.8, 0.0, 0.6, 0.0};
}

static void
make_space_overhang(void)
{
    scene_init(&scene, 1.0);
    scene.def.settings.dimension = CN_SPATIAL;
    int floor = make_cuboid(0.0, -1.0, 0.0, 2.0);
    scene.body[floor].type = CN_STATIC;
    make_cuboid(0.0, 0.5, 0.0, 1.0);
    make_cuboid(0.75, 1.5, 0.0, 1.0);
}

/* Most of the box is beyond the ledge, but its centre of mass is above the ledge. */
static void
make_loaded(void)
{
    scene_init(&scene, 9.81);
    int ledge = scene_box(&scene, -1.0, -0.5, 2.0, 1.0);
    scene.body[ledge].type = CN_STATIC;
    int box = scene_box(&scene, 0.25, 0.25, 1.0, 0.5);
    scene.body[box].has_center = true;
    scene.body[box].center_of_mass = cn_vec3_make(-0.3125, 0.125, 0.0);
}

/* Most of the box is above the ledge, but its centre of mass is beyond it; in space. */
static void
make_space_loaded(void)
{
    scene_init(&scene, 1.0);
    scene.def.settings.dimension = CN_SPATIAL;
    int floor = make_cuboid(0.0, -1.0, 0.0, 2.0);
    scene.body[floor].type = CN_STATIC;
    int box = make_cuboid(0.75, 0.5, 0.0, 1.0);
    scene.body[box].has_center = true;
    scene.body[box].center_of_mass = cn_vec3_make(0.375, -0.25, 0.0);
}

static void (*const makers[])(void) = {make_stack, make_diamond, make_critical, make_slope,
    make_press, make_rough_slope, make_slippery_slope, make_groove, make_space,
    make_space_overhang, make_wedged, make_loaded, make_space_loaded};
#define MAKER_COUNT (sizeof(makers) / sizeof(makers[0]))

static const enum pv_verdict verdicts[MAKER_COUNT] = {PV_STABLE, PV_UNSTABLE, PV_CRITICAL,
    PV_UNSTABLE, PV_STABLE, PV_STABLE, PV_UNSTABLE, PV_STABLE, PV_STABLE, PV_UNSTABLE,
    PV_STABLE, PV_STABLE, PV_UNSTABLE};

static char *
print(void)
{
    struct wire_json json;
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    return wire_json_take(&json);
}

static void
solve(size_t maker)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true, .start = true};
    struct cn_defect defect;
    makers[maker]();
    if (pv_answer_init(&answer, &scene.def, &choice, &defect) != CN_OK) {
        fail_msg("%zu: %s: %s", maker, defect.path, defect.text);
    }
}

static bool
accepts(const char *text)
{
    struct vf_finding finding;
    return vf_verify(&scene.def, text, strlen(text), &finding);
}

static void
test_true_ones_are_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAKER_COUNT; i++) {
        solve(i);
        assert_int_equal(answer.verdict, verdicts[i]);
        char *text = print();
        struct vf_finding finding;
        if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
            fail_msg("%zu: %s\n%s", i, finding.text, text);
        }
        free(text);
        pv_answer_finish(&answer);
    }
}

/* A value in a text: of a member or in a list. */
struct token {
    size_t begin, size;
    bool of_motion;
};

static struct token tokens[TOKENS_MAX];

/* The text is our own, on one line: a name is a string before a colon. */
static int
find_tokens(const char *text)
{
    int count = 0;
    bool of_motion = false;
    for (size_t i = 0; text[i] != '\0';) {
        size_t begin = i;
        if (text[i] == '"') {
            i += strcspn(text + i + 1, "\"") + 2;
            if (text[i] == ':') {
                of_motion = strncmp(text + begin, "\"motion\"", 8) == 0;
                continue;
            }
        } else if (strchr("{}[],: ", text[i]) != NULL) {
            i++;
            continue;
        } else {
            i += strcspn(text + i, "{}[],: ");
        }
        assert_true(count < TOKENS_MAX);
        tokens[count++] = (struct token){begin, i - begin, of_motion};
    }
    return count;
}

static void
must_refuse(const char *text, const struct token *token, const char *word)
{
    static char changed[TEXT_MAX];
    assert_true(strlen(text) + strlen(word) < sizeof(changed));
    memcpy(changed, text, token->begin);
    strcpy(changed + token->begin, word);
    strcat(changed, text + token->begin + token->size);
    change_count++;
    if (strcmp(changed, text) != 0 && accepts(changed)) {
        fail_msg("accepted: %.*s became %s at byte %zu of\n%s", (int)token->size,
            text + token->begin, word, token->begin, text);
    }
}

static void
change_fraction(const char *text, const struct token *token)
{
    static char word[TEXT_MAX];
    mpq_t x, y, small;
    mpq_inits(x, y, small, NULL);
    snprintf(word, sizeof(word), "%.*s", (int)token->size - 2, text + token->begin + 1);
    assert_int_equal(mpq_set_str(x, word, 10), 0);
    mpz_ui_pow_ui(mpq_denref(small), 10, 30);
    mpz_set_ui(mpq_numref(small), 1);
    for (int k = 0; k < 7; k++) {
        mpq_set(y, x);
        switch (k) {
        case 0: mpq_neg(y, x); break;
        case 1: mpq_add(y, x, small); break;
        case 2: mpq_sub(y, x, small); break;
        case 3: mpq_mul_2exp(y, x, 1); break;
        case 4: mpq_set_ui(y, 0, 1); break;
        case 5: mpq_set_ui(y, 1, 1); break;
        default: mpz_add_ui(mpq_numref(y), mpq_numref(y), 1); mpq_canonicalize(y); break;
        }
        if (!mpq_equal(x, y)) {
            gmp_snprintf(word, sizeof(word), "\"%Qd\"", y);
            must_refuse(text, token, word);
        }
    }
    /* The same number, not in lowest terms. */
    mpz_mul_ui(mpq_numref(x), mpq_numref(x), 3);
    mpz_mul_ui(mpq_denref(x), mpq_denref(x), 3);
    gmp_snprintf(word, sizeof(word), "\"%Zd/%Zd\"", mpq_numref(x), mpq_denref(x));
    must_refuse(text, token, word);
    mpq_clears(x, y, small, NULL);
}

static void
change_token(const char *text, const struct token *token)
{
    static const char *const words[] = {"true", "false", "null", "0", "1", "2", "-1", "1e-9",
        "\"stable\"", "\"critical\"", "\"unstable\"", "\"stands\"", "\"falls\"", "\"margin\"",
        "\"noForce\"", "\"anyForce\"", "\"a holding force exists\"",
        "\"no holding force exists\"", "\"0\"", "\"1/2\"", "[]", "{}", ""};
    char first = text[token->begin], second = text[token->begin + 1];
    if (first == '"' && (second == '-' || (second >= '0' && second <= '9'))) {
        change_fraction(text, token);
        return;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        bool same = strlen(words[i]) == token->size &&
                    strncmp(words[i], text + token->begin, token->size) == 0;
        if (!same) {
            must_refuse(text, token, words[i]);
        }
    }
}

/* Removes or repeats an element of a list.  Elements are objects or values. */
static void
change_lists(const char *text, int count)
{
    static char twice[TEXT_MAX];
    for (int i = 0; i < count; i++) {
        size_t begin = tokens[i].begin, end = begin + tokens[i].size;
        if (text[end] == ',' && text[begin - 1] == '[') {
            struct token gone = {begin, end + 1 - begin, false};
            must_refuse(text, &gone, "");
            snprintf(twice, sizeof(twice), "%.*s%.*s", (int)gone.size, text + begin,
                (int)gone.size, text + begin);
            must_refuse(text, &gone, twice);
        }
    }
    for (const char *c = strchr(text, '{'); c != NULL; c = strchr(c + 1, '{')) {
        const char *end = strchr(c, '}');
        bool whole = end != NULL && memchr(c + 1, '{', (size_t)(end - c - 1)) == NULL;
        if (whole && end[1] == ',') {
            struct token gone = {(size_t)(c - text), (size_t)(end + 2 - c), false};
            must_refuse(text, &gone, "");
            snprintf(twice, sizeof(twice), "%.*s%.*s", (int)gone.size, c, (int)gone.size, c);
            must_refuse(text, &gone, twice);
        }
    }
}

static void
test_changed_ones_are_refused(void **state)
{
    (void)state;
    change_count = 0;
    for (size_t i = 0; i < MAKER_COUNT; i++) {
        solve(i);
        char *text = print();
        int count = find_tokens(text);
        bool is_large = count > 400;
        for (int k = 0; k < count; k += is_large ? 29 : 1) {
            if (!tokens[k].of_motion) {
                change_token(text, &tokens[k]);
            }
        }
        if (!is_large) {
            change_lists(text, count);
        }
        free(text);
        pv_answer_finish(&answer);
    }
    printf("%d changed certificates\n", change_count);
    assert_true(change_count >= 1000);
}

/* n . (velocity of b - velocity of a) at the contact, or along its tangent. */
static void
rate(mpq_t out, const struct pv_contact *contact, bool tangent)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_ui(out, 0, 1);
    for (int side = 0; side < 2; side++) {
        mpq_t *u = &answer.motion[3 * (side == 0 ? contact->b : contact->a)];
        mpq_set(x, u[0]);
        mpq_set(y, u[1]);
        pv_sub_product(x, u[2], contact->point.c[1]);
        pv_add_product(y, u[2], contact->point.c[0]);
        if (side == 1) {
            mpq_neg(x, x);
            mpq_neg(y, y);
        }
        if (tangent) {
            pv_sub_product(out, contact->normal.c[1], x);
            pv_add_product(out, contact->normal.c[0], y);
        } else {
            pv_add_product(out, contact->normal.c[0], x);
            pv_add_product(out, contact->normal.c[1], y);
        }
    }
    mpq_clears(x, y, NULL);
}

/* Whether the present motion bounds the margin. */
static bool
motion_proves(void)
{
    const struct pv_arrangement *r = &answer.arrangement;
    mpq_t sum, power, n, s, v, want;
    mpq_inits(sum, power, n, s, v, want, NULL);
    bool good = true;
    for (int c = 0; c < r->contact_count; c++) {
        rate(n, &r->contact[c], false);
        rate(s, &r->contact[c], true);
        mpq_abs(s, s);
        mpq_mul(s, s, r->contact[c].friction);
        good = good && mpq_cmp(n, s) >= 0;
        if (r->contact[c].bears) {
            mpq_add(sum, sum, n);
        }
    }
    for (int i = 0; i < r->body_count; i++) {
        const struct pv_body *body = &r->body[i];
        mpq_t *u = &answer.motion[3 * i];
        bool still = mpq_sgn(u[0]) == 0 && mpq_sgn(u[1]) == 0 && mpq_sgn(u[2]) == 0;
        good = good && (!body->is_fixed || still);
        mpq_set(v, u[1]);
        pv_add_product(v, u[2], body->center.c[0]);
        mpq_mul(v, v, body->mass);
        pv_add_product(power, v, r->gravity.c[1]);
    }
    mpq_set_ui(want, answer.kind == PV_NO_FORCE ? 0 : 1, 1);
    good = good && mpq_equal(sum, want);
    mpq_neg(want, answer.margin);
    if (answer.kind == PV_NO_FORCE) {
        mpq_set_ui(want, 1, 1);
    }
    good = good && mpq_equal(power, want);
    mpq_clears(sum, power, n, s, v, want, NULL);
    return good;
}

static void
test_changed_motions(void **state)
{
    (void)state;
    int refused = 0, accepted = 0;
    for (size_t i = 0; i < MAKER_COUNT; i++) {
        solve(i);
        bool is_for = answer.kind != PV_ANY_FORCE && answer.arrangement.dimension == 2;
        int count = is_for ? 3 * answer.arrangement.body_count : 0;
        mpq_t before, part;
        mpq_inits(before, part, NULL);
        mpq_set_ui(part, 1, 1000000007);
        for (int k = 0; k < 4 * count; k++) {
            mpq_t *u = &answer.motion[k / 4];
            mpq_set(before, *u);
            if (k % 4 == 0) {
                mpq_add(*u, *u, part);
            } else if (k % 4 == 1) {
                mpq_sub(*u, *u, part);
            } else if (k % 4 == 2) {
                mpq_neg(*u, *u);
            } else {
                mpq_set_ui(*u, 1, 1);
            }
            char *text = print();
            bool good = accepts(text), proves = motion_proves();
            if (good && !proves) {
                fail_msg("%zu: accepted with another motion: %s", i, text);
            }
            refused += !good && !mpq_equal(before, *u);
            accepted += good && !mpq_equal(before, *u);
            mpq_set(*u, before);
            free(text);
        }
        mpq_clears(before, part, NULL);
        pv_answer_finish(&answer);
    }
    printf("%d changed motions refused, %d still proofs\n", refused, accepted);
    assert_true(refused > 200);
}

/* The verifier refuses a certificate with a scene other than the one that it was made for. */
static void
test_another_scene(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAKER_COUNT; i++) {
        solve(i);
        char *text = print();
        scene.def.settings.gravity.y *= 2.0;
        assert_false(accepts(text));
        scene.def.settings.gravity.y *= 0.5;
        assert_true(accepts(text));
        scene.body[scene.def.body_count - 1].position.x += 1e-3;
        bool is_free = makers[i] == make_press; /* between plates it may lie anywhere */
        assert_false(!is_free && accepts(text));
        free(text);
        pv_answer_finish(&answer);
    }
}

static void
test_texts_that_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{}", "[]", "null", "{\"stable\":true",
        "{\"stable\":true}", "{\"stable\":true,\"stable\":true}", "[[[[[[[[[[[[]]]]]]]]]]]]",
        "{\"a\":01}", "{\"a\":\"\\u0041\"}", "\"", "{\"a\" 1}", "{\"a\":1,}", "[1 2]", "nul"};
    make_stack();
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct vf_finding finding;
        assert_false(vf_verify(&scene.def, texts[i], strlen(texts[i]), &finding));
        assert_true(finding.text[0] != '\0');
    }
}

/* When memory runs out, an attempt frees all its memory; a run with a leak checker shows this. */
static void
run_out(void *context)
{
    int *progress = context;
    mpq_t x;
    mpq_init(x);
    mpz_ui_pow_ui(mpq_numref(x), 3, 10000);
    (void)pv_alloc(10, 100);
    *progress = 1;
    (void)pv_alloc(1, SIZE_MAX);
    *progress = 2;
}

static void
compute(void *context)
{
    mpq_t *x = context;
    mpq_init(*x);
    mpz_ui_pow_ui(mpq_numref(*x), 3, 1000);
}

static void
test_attempts(void **state)
{
    int progress = 0;
    mpq_t x;
    (void)state;
    assert_false(pv_attempt(run_out, &progress));
    assert_int_equal(progress, 1);
    assert_true(pv_attempt(compute, &x));
    mpq_mul(x, x, x); /* grows outside of the attempt that made it */
    assert_int_equal(mpz_divisible_ui_p(mpq_numref(x), 3), 1);
    mpq_clear(x);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_ones_are_accepted),
        cmocka_unit_test(test_changed_ones_are_refused),
        cmocka_unit_test(test_changed_motions),
        cmocka_unit_test(test_another_scene),
        cmocka_unit_test(test_texts_that_are_none),
        cmocka_unit_test(test_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
