/*
 * test_resume_token.c: what a resume token carries, and where its secret comes from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/random.h"
#include "server/session/resume.h"

#include <string.h>

static void
test_there_and_back(void **state)
{
    (void)state;
    struct sv_resume in = {.seat = 0x01020304, .session = UINT64_C(0x1112131415161718)}, out;
    uint8_t token[WIRE_RESUME_SIZE];
    for (int i = 0; i < SV_RESUME_SECRET_SIZE; i++) {
        in.secret[i] = (uint8_t)(0xa0 + i);
    }
    sv_resume_write(&in, token);
    const uint8_t first[] = {4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 0xa0};
    assert_memory_equal(token, first, sizeof(first));
    sv_resume_read(token, &out);
    assert_int_equal(out.seat, in.seat);
    assert_true(out.session == in.session);
    assert_true(sv_resume_fits(in.secret, out.secret));
    for (int bit = 0; bit < 8 * SV_RESUME_SECRET_SIZE; bit++) {
        out = in;
        out.secret[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        assert_false(sv_resume_fits(in.secret, out.secret));
    }
}

/* A session without a token has zeros as its token, and zeros never fit. */
static void
test_nothing_fits_nothing(void **state)
{
    (void)state;
    uint8_t none[SV_RESUME_SECRET_SIZE] = {0};
    assert_false(sv_resume_fits(none, none));
}

static void
test_chance(void **state)
{
    (void)state;
    uint8_t a[32], b[32];
    struct sv_random real = sv_random_real();
    assert_true(sv_random_fill(&real, a, sizeof(a)));
    assert_true(sv_random_fill(&real, b, sizeof(b)));
    assert_memory_not_equal(a, b, sizeof(a));
    uint64_t one = 7, other = 7;
    struct sv_random first = sv_random_simulated(&one), second = sv_random_simulated(&other);
    assert_true(sv_random_fill(&first, a, sizeof(a)));
    assert_true(sv_random_fill(&second, b, sizeof(b)));
    assert_memory_equal(a, b, sizeof(a));
    assert_true(sv_random_fill(&second, b, sizeof(b)));
    assert_memory_not_equal(a, b, sizeof(a));
}

/* A secret belongs to one key, session and serial number; without a key no secret is made. */
static void
test_secrets(void **state)
{
    (void)state;
    uint8_t key[DD_KEPT_KEY_SIZE] = {1, 2, 3}, none[DD_KEPT_KEY_SIZE] = {0};
    uint8_t first[SV_RESUME_SECRET_SIZE], other[SV_RESUME_SECRET_SIZE];
    assert_true(sv_resume_secret(key, 7, 1, first));
    assert_true(sv_resume_secret(key, 7, 1, other));
    assert_true(sv_resume_fits(first, other));
    assert_true(sv_resume_secret(key, 7, 2, other));
    assert_false(sv_resume_fits(first, other));
    assert_true(sv_resume_secret(key, 8, 1, other));
    assert_false(sv_resume_fits(first, other));
    assert_true(sv_resume_secret(key, UINT64_C(7) << 32, 1, other));
    assert_false(sv_resume_fits(first, other));
    key[DD_KEPT_KEY_SIZE - 1] ^= 1;
    assert_true(sv_resume_secret(key, 7, 1, other));
    assert_false(sv_resume_fits(first, other));
    assert_false(sv_resume_secret(none, 7, 1, other));
    for (int i = 0; i < SV_RESUME_SECRET_SIZE; i++) { /* each byte counts */
        memcpy(other, first, sizeof(other));
        other[i] ^= 0x10;
        assert_false(sv_resume_fits(first, other));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_nothing_fits_nothing),
        cmocka_unit_test(test_chance),
        cmocka_unit_test(test_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
