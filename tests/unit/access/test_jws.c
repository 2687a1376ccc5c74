/*
 * test_jws.c: base64url and signatures against the RFCs' examples; keys and their files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "access/key.h"

#include <stdio.h>
#include <string.h>

/* RFC 8037, appendix A.1: the private key. The public key of A.2 is the same text without "d". */
#define RFC_D "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
#define RFC_X "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
#define RFC_PRIVATE "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"" RFC_D "\",\"x\":\"" RFC_X "\"}"
#define RFC_PUBLIC "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\"}"

/* RFC 8037, appendix A.3: the thumbprint; A.4: the signed text and its signature. */
#define RFC_THUMBPRINT "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
#define RFC_HEADER "{\"alg\":\"EdDSA\"}"
#define RFC_PAYLOAD "Example of Ed25519 signing"
#define RFC_SIGNED "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
#define RFC_SIGNATURE                                                                              \
    "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

static char error[AC_ERROR_SIZE];

static bool
reads_as(const char *text, const char *bytes, size_t size)
{
    uint8_t out[64];
    size_t used;
    return ac_base64_read(text, strlen(text), out, sizeof(out), &used) && used == size &&
        memcmp(out, bytes, size) == 0;
}

static bool
reads(const char *text)
{
    uint8_t out[64];
    size_t used;
    return ac_base64_read(text, strlen(text), out, sizeof(out), &used);
}

static void
test_base64url(void **state)
{
    (void)state;
    /* RFC 7515, appendix C; RFC 4648, section 10, without padding. */
    assert_true(reads_as("A-z_4ME", "\x03\xec\xff\xe0\xc1", 5));
    assert_true(reads_as("", "", 0));
    assert_true(reads_as("Zg", "f", 1));
    assert_true(reads_as("Zm8", "fo", 2));
    assert_true(reads_as("Zm9v", "foo", 3));
    assert_true(reads_as("Zm9vYmFy", "foobar", 6));
    /* Padding, the other alphabet, white space, a single letter at the end, surplus bits. */
    static const char *const bad[] = {"Zg==", "Zm8=", "A+z/4ME", "Zm 9v", "Zm9v\n", "\tZm9v", "Z",
        "Zm9vY", "Zh", "Zm9", "_____x", "Zm9v.", "Zm\xc3\xa9"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(reads(bad[i]));
    }
    uint8_t out[2];
    size_t used;
    assert_false(ac_base64_read("Zm9v", 4, out, sizeof(out), &used));
}

static void
test_rfc_8037_signs(void **state)
{
    (void)state;
    char text[AC_TOKEN_SIZE_MAX + 1];
    struct ac_private_key *key = ac_private_key_read(RFC_PRIVATE, strlen(RFC_PRIVATE), error);
    assert_non_null(key);
    assert_true(ac_jws_sign(RFC_HEADER, strlen(RFC_HEADER), RFC_PAYLOAD, strlen(RFC_PAYLOAD),
        key->seed, text));
    assert_string_equal(text, RFC_SIGNED "." RFC_SIGNATURE);
    ac_private_key_destroy(key);
}

static void
test_rfc_8037_verifies(void **state)
{
    (void)state;
    static const char text[] = RFC_SIGNED "." RFC_SIGNATURE;
    struct ac_public_key key;
    struct ac_jws jws;
    assert_true(ac_public_key_read(&key, RFC_PUBLIC, strlen(RFC_PUBLIC), false, error));
    assert_true(ac_jws_split(&jws, text, sizeof(text) - 1));
    assert_int_equal(jws.header_size, strlen(RFC_HEADER));
    assert_memory_equal(jws.header, RFC_HEADER, jws.header_size);
    assert_int_equal(jws.payload_size, strlen(RFC_PAYLOAD));
    assert_memory_equal(jws.payload, RFC_PAYLOAD, jws.payload_size);
    assert_true(ac_jws_is_signed(&jws, key.public_key));
    for (int bit = 0; bit < 8 * AC_SIGNATURE_SIZE; bit++) {
        jws.signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(ac_jws_is_signed(&jws, key.public_key));
        jws.signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* RFC 8032, section 7.1, test 3: the RFC's seed signs, its public key verifies. */
static void
test_rfc_8032(void **state)
{
    (void)state;
    static const uint8_t seed[32] = {0xc5, 0xaa, 0x8d, 0xf4, 0x3f, 0x9f, 0x83, 0x7b, 0xed, 0xb7,
        0x44, 0x2f, 0x31, 0xdc, 0xb7, 0xb1, 0x66, 0xd3, 0x85, 0x35, 0x07, 0x6f, 0x09, 0x4b, 0x85,
        0xce, 0x3a, 0x2e, 0x0b, 0x44, 0x58, 0xf7};
    static const uint8_t public_key[32] = {0xfc, 0x51, 0xcd, 0x8e, 0x62, 0x18, 0xa1, 0xa3, 0x8d,
        0xa4, 0x7e, 0xd0, 0x02, 0x30, 0xf0, 0x58, 0x08, 0x16, 0xed, 0x13, 0xba, 0x33, 0x03, 0xac,
        0x5d, 0xeb, 0x91, 0x15, 0x48, 0x90, 0x80, 0x25};
    char text[AC_TOKEN_SIZE_MAX + 1];
    struct ac_jws jws;
    assert_true(ac_jws_sign("\xaf\x82", 2, "", 0, seed, text));
    assert_true(ac_jws_split(&jws, text, strlen(text)));
    assert_true(ac_jws_is_signed(&jws, public_key));
}

static void
test_split(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ".", "..", "a.b", RFC_SIGNED, RFC_SIGNED ".",
        "." RFC_SIGNED "." RFC_SIGNATURE, RFC_SIGNED "." RFC_SIGNATURE ".",
        RFC_SIGNED "." RFC_SIGNATURE "A", RFC_SIGNED "." RFC_SIGNATURE "==",
        RFC_SIGNED "." RFC_SIGNATURE "\n", " " RFC_SIGNED "." RFC_SIGNATURE,
        RFC_SIGNED ". " RFC_SIGNATURE, RFC_SIGNED "." RFC_SIGNED};
    struct ac_jws jws;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(ac_jws_split(&jws, bad[i], strlen(bad[i])));
    }
    char large[AC_TOKEN_SIZE_MAX + 64];
    memset(large, 'A', sizeof(large));
    large[100] = '.';
    large[sizeof(large) - 87] = '.';
    assert_false(ac_jws_split(&jws, large, sizeof(large)));
    large[sizeof(large) - 87] = 'A';
    large[AC_TOKEN_SIZE_MAX - 87] = '.';
    assert_true(ac_jws_split(&jws, large, AC_TOKEN_SIZE_MAX));
}

static void
test_sign_knows_its_room(void **state)
{
    (void)state;
    char payload[AC_TOKEN_SIZE_MAX], text[AC_TOKEN_SIZE_MAX + 1];
    uint8_t seed[AC_SEED_SIZE] = {1};
    memset(payload, 'x', sizeof(payload));
    size_t longest = 0;
    for (size_t size = 1400; size < 1500; size++) {
        if (ac_jws_sign("{}", 2, payload, size, seed, text)) {
            assert_int_equal(size, longest == 0 ? size : longest + 1);
            longest = size;
            assert_true(strlen(text) <= AC_TOKEN_SIZE_MAX);
        }
    }
    /* 3 + 1 + 4/3 n + 1 + 86 letters. */
    assert_int_equal(longest, 1467);
    assert_false(ac_jws_sign("{}", 2, payload, sizeof(payload), seed, text));
}

/* ---- keys ---- */

static void
test_thumbprint(void **state)
{
    (void)state;
    struct ac_public_key key;
    assert_true(ac_public_key_read(&key, RFC_PUBLIC, strlen(RFC_PUBLIC), false, error));
    assert_string_equal(key.kid, RFC_THUMBPRINT);
}

static void
test_files_round(void **state)
{
    (void)state;
    char text[AC_KEY_FILE_SIZE_MAX];
    struct ac_private_key *key = ac_private_key_create();
    assert_non_null(key);
    assert_true(ac_private_key_write(key, text, sizeof(text)));
    struct ac_private_key *again = ac_private_key_read(text, strlen(text), error);
    assert_non_null(again);
    assert_memory_equal(again, key, sizeof(*key));
    struct ac_public_key public_key;
    assert_false(ac_public_key_read(&public_key, text, strlen(text), false, error));
    assert_non_null(strstr(error, "private"));
    assert_true(ac_public_key_read(&public_key, text, strlen(text), true, error));
    assert_true(ac_public_key_write(&public_key, text, sizeof(text)));
    assert_null(strstr(text, "\"d\""));
    assert_null(ac_private_key_read(text, strlen(text), error));
    assert_non_null(strstr(error, "public"));
    assert_false(ac_public_key_write(&public_key, text, 40));
    ac_private_key_destroy(again);
    ac_private_key_destroy(key);
}

static void
test_bad_files(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "-----BEGIN PUBLIC KEY-----",
        "{\"kty\":\"oct\",\"k\":\"AAAA\"}",
        "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"" RFC_X "\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "=\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"x\":\"" RFC_X "\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"use\":\"enc\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"alg\":\"HS256\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"kid\":\"../etc\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"kid\":\"\"}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"kid\":1}",
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC_X "\",\"x5u\":\"http://x\"}",
        RFC_PUBLIC "x",
    };
    struct ac_public_key key;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        error[0] = '\0';
        assert_false(ac_public_key_read(&key, bad[i], strlen(bad[i]), true, error));
        assert_true(error[0] != '\0');
    }
    /* The public half is not the private half's. */
    static const char torn[] = "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"" RFC_X
                               "\",\"x\":\"" RFC_X "\"}";
    assert_null(ac_private_key_read(torn, strlen(torn), error));
}

static void
test_sets(void **state)
{
    (void)state;
    struct ac_keys *keys = ac_keys_create();
    struct ac_public_key key = {.kid = "a"};
    assert_non_null(keys);
    assert_true(ac_keys_add(keys, &key, error));
    assert_false(ac_keys_add(keys, &key, error));
    key.kid[0] = 'b';
    assert_true(ac_keys_add(keys, &key, error));
    key.kid[0] = 'c';
    assert_false(ac_keys_add(keys, &key, error));
    ac_keys_seal(keys);
    assert_string_equal(keys->key[1].kid, "b");
    ac_keys_destroy(keys);
    ac_keys_destroy(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64url),
        cmocka_unit_test(test_rfc_8037_signs),
        cmocka_unit_test(test_rfc_8037_verifies),
        cmocka_unit_test(test_rfc_8032),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_sign_knows_its_room),
        cmocka_unit_test(test_thumbprint),
        cmocka_unit_test(test_files_round),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_sets),
    };
    return ac_init() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
