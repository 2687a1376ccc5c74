/*
 * test_seat_token.c: a seat's token is good as it was made, and not in any other form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/room/seat_token.h"

#include <string.h>

static const uint8_t key[SV_ROOM_KEY_SIZE] = {1, 2, 3}, other_key[SV_ROOM_KEY_SIZE] = {1, 2, 4};

static void
test_round_trip(void **state)
{
    (void)state;
    static const struct sv_seat_token tokens[] = {{"arena-abcdefgh23456789", 0, 1},
        {"a", 255, UINT32_MAX}, {"1.2.3", 4, 5},
        {"a23456789-123456789-123456789-123456789-123456789-123456789-123", 255, 1}};
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        char text[SV_SEAT_TOKEN_SIZE];
        struct sv_seat_token read;
        sv_seat_token_write(key, &tokens[i], text);
        assert_true(sv_seat_token_is(text));
        assert_true(sv_seat_token_read(key, text, &read));
        assert_string_equal(read.room, tokens[i].room);
        assert_int_equal(read.seat, tokens[i].seat);
        assert_int_equal(read.serial, tokens[i].serial);
        assert_false(sv_seat_token_read(other_key, text, &read));
    }
}

/* Each changed, missing or added character spoils it. */
static void
test_every_character_counts(void **state)
{
    (void)state;
    struct sv_seat_token token = {"arena-abcdefgh23456789", 3, 17}, read;
    char text[SV_SEAT_TOKEN_SIZE], wrong[SV_SEAT_TOKEN_SIZE + 1];
    sv_seat_token_write(key, &token, text);
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 7; bit++) {
            memcpy(wrong, text, size + 1);
            wrong[i] = (char)(wrong[i] ^ (1 << bit));
            assert_false(sv_seat_token_read(key, wrong, &read));
        }
        memcpy(wrong, text, i);
        memcpy(wrong + i, text + i + 1, size - i);
        assert_false(sv_seat_token_read(key, wrong, &read));
        memcpy(wrong, text, size);
        wrong[i] = '\0';
        assert_false(sv_seat_token_read(key, wrong, &read));
    }
    memcpy(wrong, text, size);
    memcpy(wrong + size, "0", 2);
    assert_false(sv_seat_token_read(key, wrong, &read));
}

static void
test_other_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "seat1.", "seat2.a.0.1", "eyJhbGciOiJFZERTQSJ9.e.s",
        "seat1.a.0.1.", "seat1......................................................"};
    struct sv_seat_token read;
    char longest[512];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(sv_seat_token_read(key, texts[i], &read));
    }
    assert_false(sv_seat_token_is("eyJhbGciOiJFZERTQSJ9.e.s"));
    memset(longest, '1', sizeof(longest) - 1);
    memcpy(longest, "seat1.", 6);
    longest[sizeof(longest) - 1] = '\0';
    assert_false(sv_seat_token_read(key, longest, &read));
}

static void
test_passwords(void **state)
{
    (void)state;
    static const uint8_t salt[SV_ROOM_SALT_SIZE] = {9}, other_salt[SV_ROOM_SALT_SIZE] = {8};
    uint8_t hash[SV_ROOM_HASH_SIZE], other[SV_ROOM_HASH_SIZE];
    sv_room_password_hash(key, salt, "sesame", hash);
    sv_room_password_hash(key, salt, "sesame", other);
    assert_true(sv_room_password_fits(hash, other));
    sv_room_password_hash(key, salt, "sesamf", other);
    assert_false(sv_room_password_fits(hash, other));
    sv_room_password_hash(key, salt, "", other);
    assert_false(sv_room_password_fits(hash, other));
    sv_room_password_hash(key, other_salt, "sesame", other);
    assert_false(sv_room_password_fits(hash, other));
    sv_room_password_hash(other_key, salt, "sesame", other);
    assert_false(sv_room_password_fits(hash, other));
    assert_null(memmem(hash, sizeof(hash), "sesame", 6));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_character_counts), cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_passwords)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
