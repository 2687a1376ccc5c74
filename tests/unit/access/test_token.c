/*
 * test_token.c: which tokens are good; every other one is refused, and for the right reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "access/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW INT64_C(1800000000)
#define HEADER "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"first\"}"
#define BODY "\"sub\":\"ann\",\"world\":\"lab-*\",\"role\":\"player\",\"jti\":\"t1\""
#define CLAIMS "{" BODY ",\"exp\":1800003600}"

static struct ac_private_key *first, *other;
static struct ac_keys *keys;
static struct ac_claims claims;
static const char *claim;

static enum ac_reason
verify(const char *text, size_t size)
{
    memset(&claims, 0, sizeof(claims));
    return ac_token_verify(keys, text, size, NOW, &claims, &claim);
}

/* Verifies a text with a valid signature and any header and payload. */
static enum ac_reason
verify_parts(const struct ac_private_key *key, const char *header, const char *payload)
{
    char text[AC_TOKEN_SIZE_MAX + 1];
    assert_true(
        ac_jws_sign(header, strlen(header), payload, strlen(payload), key->seed, text));
    return verify(text, strlen(text));
}

static void
test_good(void **state)
{
    (void)state;
    static const char all[] =
        "{" BODY ",\"exp\":1800086400,\"nbf\":1800000060,\"iat\":1800000000,"
        "\"limits\":{\"force\":2.5,\"torque\":10,\"messages\":60}}";
    assert_int_equal(verify_parts(first, HEADER, CLAIMS), AC_REASON_GOOD);
    assert_null(claim);
    assert_string_equal(claims.subject, "ann");
    assert_string_equal(claims.world, "lab-*");
    assert_string_equal(claims.id, "t1");
    assert_int_equal(claims.role, AC_ROLE_PLAYER);
    assert_true(claims.limits.force == 0 && claims.limits.messages == 0);
    assert_int_equal(verify_parts(first, HEADER, all), AC_REASON_GOOD);
    assert_true(claims.limits.force == 2.5 && claims.limits.torque == 10);
    assert_int_equal(claims.limits.messages, 60);
    assert_int_equal(claims.expires_s, NOW + 86400);
    assert_int_equal(verify_parts(first, HEADER,
                         "{" BODY ",\"exp\":1800000001,\"iss\":\"me\",\"aud\":[\"a\",\"b\"],"
                         "\"tenant\":\"school\",\"quota\":{\"worlds\":0,\"sent\":5000},"
                         "\"limits\":{}}"),
        AC_REASON_GOOD);
    uint32_t most;
    assert_string_equal(claims.issuer, "me");
    assert_string_equal(claims.tenant, "school");
    assert_int_equal(claims.audience_count, 2);
    assert_string_equal(claims.audience[1], "b");
    assert_true(ac_quota_has(&claims.quota, AC_QUOTA_WORLDS, &most) && most == 0);
    assert_true(ac_quota_has(&claims.quota, AC_QUOTA_SENT, &most) && most == 5000);
    assert_false(ac_quota_has(&claims.quota, AC_QUOTA_FORKS, &most));
    /* The same token with another order of members, white space, no kid and escaped letters. */
    assert_int_equal(
        verify_parts(first, " {\"typ\":\"JWT\" , \"alg\":\"EdD\\u0053A\"}\n", CLAIMS),
        AC_REASON_GOOD);
    assert_int_equal(verify_parts(other,
                         "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"other\"}", CLAIMS),
        AC_REASON_GOOD);
}

/*
 * The examples of RFC 7515 (A.1 to A.6) and RFC 8037 (A.4). They are well formed, but no Cairn
 * tokens.
 */
static void
test_other_algorithms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
         "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
         "cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        ("eyJhbGciOiJFUzI1NiJ9."
         "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
         "cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-"
         "Kg6NU1Q"),
        ("eyJhbGciOiJub25lIn0."
         "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
         "cnVlfQ."),
        ("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
         "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"),
        "{\"payload\":\"eyJ9\",\"signatures\":[]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        enum ac_reason reason = verify(texts[i], strlen(texts[i]));
        assert_true(reason == AC_REASON_FORM || reason == AC_REASON_HEADER);
    }
}

/* Texts with a valid signature and a header that Cairn does not accept. */
static void
test_headers(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"alg\":\"none\",\"typ\":\"JWT\"}",
        "{\"alg\":\"None\",\"typ\":\"JWT\"}",
        "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":\"first\"}",
        "{\"alg\":\"RS256\",\"typ\":\"JWT\"}",
        "{\"alg\":\"ES256\",\"typ\":\"JWT\"}",
        "{\"alg\":\"Ed25519\",\"typ\":\"JWT\"}",
        "{\"alg\":\"eddsa\",\"typ\":\"JWT\"}",
        "{\"alg\":[\"EdDSA\"],\"typ\":\"JWT\"}",
        "{\"alg\":\"EdDSA\"}",
        "{\"typ\":\"JWT\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"jwt\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWS\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"crit\":[\"exp\"]}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"jwk\":{\"kty\":\"OKP\"}}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"jku\":\"https://example.org\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"first\",\"b64\":false}",
        "{\"alg\":\"none\",\"alg\":\"EdDSA\",\"typ\":\"JWT\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"first\",\"kid\":\"first\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"../../dev/null\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":1}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":null}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"first\\u0000\"}",
        "{\"alg\":\"EdDSA\\u0000x\",\"typ\":\"JWT\"}",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\"}x",
        "{\"alg\":\"EdDSA\",\"typ\":\"JWT\"",
        "[\"EdDSA\",\"JWT\"]",
        "\"EdDSA\"",
        "{}",
        "",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(verify_parts(first, bad[i], CLAIMS), AC_REASON_HEADER);
        assert_int_equal(claims.role, AC_ROLE_NONE);
    }
}

static void
test_keys(void **state)
{
    (void)state;
    struct ac_private_key *stranger = ac_private_key_create();
    assert_int_equal(
        verify_parts(first, "{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"third\"}", CLAIMS),
        AC_REASON_KEY);
    /*
     * The kid names one key and another key signed; or there is no kid and an unknown key signed.
     */
    assert_int_equal(verify_parts(other, HEADER, CLAIMS), AC_REASON_SIGNATURE);
    assert_int_equal(verify_parts(stranger, HEADER, CLAIMS), AC_REASON_SIGNATURE);
    assert_int_equal(
        verify_parts(stranger, "{\"alg\":\"EdDSA\",\"typ\":\"JWT\"}", CLAIMS),
        AC_REASON_SIGNATURE);
    ac_private_key_destroy(stranger);
    struct ac_keys *none = ac_keys_create();
    char text[AC_TOKEN_SIZE_MAX + 1];
    assert_true(
        ac_jws_sign(HEADER, strlen(HEADER), CLAIMS, strlen(CLAIMS), first->seed, text));
    assert_int_equal(
        ac_token_verify(none, text, strlen(text), NOW, &claims, NULL), AC_REASON_KEY);
    ac_keys_destroy(none);
}

struct row {
    const char *payload, *claim;
    enum ac_reason reason;
};

static void
check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum ac_reason reason = verify_parts(first, HEADER, rows[i].payload);
        if (reason != rows[i].reason || strcmp(claim, rows[i].claim) != 0) {
            print_error("%s: %s, %s\n", rows[i].payload, ac_reason_text(reason), claim);
        }
        assert_int_equal(reason, rows[i].reason);
        assert_string_equal(claim, rows[i].claim);
        assert_int_equal(claims.role, AC_ROLE_NONE);
    }
}

#define EXP "\"exp\":1800003600"
static void
test_claims(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"", "payload", AC_REASON_CLAIM},
        {"[]", "payload", AC_REASON_CLAIM},
        {"{" BODY "," EXP "}{}", "payload", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"role\":\"operator\"}", "payload", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"force\":1,\"force\":2}}", "payload", AC_REASON_CLAIM},
        {"{" BODY "}", "exp", AC_REASON_CLAIM},
        {"{" BODY ",\"exp\":1800003600.5}", "exp", AC_REASON_CLAIM},
        {"{" BODY ",\"exp\":\"1800003600\"}", "exp", AC_REASON_CLAIM},
        {"{" BODY ",\"exp\":-1}", "exp", AC_REASON_CLAIM},
        {"{" BODY ",\"exp\":1e300}", "exp", AC_REASON_CLAIM},
        {"{" BODY ",\"exp\":9223372036854775807}", "exp", AC_REASON_CLAIM},
        {"{" BODY ",\"exp\":99999999999999999999}", "payload", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"nbf\":true}", "nbf", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"iat\":null}", "iat", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"aud\":\"\"}", "aud", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"aud\":[]}", "aud", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"aud\":[\"a\",1]}", "aud", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"aud\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}", "aud", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"iss\":[\"a\"]}", "iss", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"iss\":\"a\\nb\"}", "iss", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"tenant\":\"\"}", "tenant", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":[]}", "quota", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":{\"world\":1}}", "quota", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":{\"worlds\":-1}}", "quota", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":{\"worlds\":1.0}}", "quota", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":{\"worlds\":\"1\"}}", "quota", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":{\"requests\":0}}", "quota", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"quota\":{\"sent\":9223372036854775807}}", "quota",
            AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limit\":{}}", "unknown", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":[]}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"forces\":1}}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"force\":0}}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"force\":-1}}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"force\":\"1\"}}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"torque\":1e10}}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"messages\":0}}", "limits", AC_REASON_CLAIM},
        {"{" BODY "," EXP ",\"limits\":{\"messages\":1.5}}", "limits", AC_REASON_CLAIM},
        {"{\"sub\":\"\",\"world\":\"*\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "sub",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\\u009bb\",\"world\":\"*\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "sub",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\\nb\",\"world\":\"*\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "sub",
            AC_REASON_CLAIM},
        {"{\"sub\":[\"a\"],\"world\":\"*\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "sub",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "world",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"../x\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "world",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"role\":\"player\",\"jti\":\"t\"," EXP "}", "world", AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"*\",\"role\":\"root\",\"jti\":\"t\"," EXP "}", "role",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"*\",\"role\":\"Player\",\"jti\":\"t\"," EXP "}", "role",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"*\",\"role\":4,\"jti\":\"t\"," EXP "}", "role",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"*\",\"role\":\"player\",\"jti\":\"a b\"," EXP "}", "jti",
            AC_REASON_CLAIM},
        {"{\"sub\":\"a\",\"world\":\"*\",\"role\":\"player\"," EXP "}", "jti", AC_REASON_CLAIM},
    };
    check_rows(rows, sizeof(rows) / sizeof(rows[0]));
}

static void
test_times(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{" BODY ",\"exp\":1800000000}", "exp", AC_REASON_EXPIRED},
        {"{" BODY ",\"exp\":1799999999}", "exp", AC_REASON_EXPIRED},
        {"{" BODY ",\"exp\":1}", "exp", AC_REASON_EXPIRED},
        {"{" BODY ",\"exp\":1800086401}", "exp", AC_REASON_LIFETIME},
        {"{" BODY ",\"exp\":1800003600,\"iat\":1799917199}", "exp", AC_REASON_LIFETIME},
        {"{" BODY "," EXP ",\"nbf\":1800000061}", "nbf", AC_REASON_EARLY},
        {"{" BODY "," EXP ",\"iat\":1800000061}", "iat", AC_REASON_EARLY},
    };
    check_rows(rows, sizeof(rows) / sizeof(rows[0]));
    assert_int_equal(verify_parts(first, HEADER, "{" BODY ",\"exp\":1800000001}"), AC_REASON_GOOD);
}

/* Each bit of a good token is flipped, and each letter left out or doubled. All are refused. */
static void
test_tampered(void **state)
{
    (void)state;
    char text[AC_TOKEN_SIZE_MAX + 1], changed[AC_TOKEN_SIZE_MAX + 2];
    assert_true(
        ac_jws_sign(HEADER, strlen(HEADER), CLAIMS, strlen(CLAIMS), first->seed, text));
    size_t size = strlen(text);
    assert_int_equal(verify(text, size), AC_REASON_GOOD);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(changed, text, size);
        changed[bit / 8] = (char)(changed[bit / 8] ^ 1 << bit % 8);
        assert_int_not_equal(verify(changed, size), AC_REASON_GOOD);
    }
    for (size_t at = 0; at < size; at++) {
        memcpy(changed, text, at);
        memcpy(changed + at, text + at + 1, size - at - 1);
        assert_int_not_equal(verify(changed, size - 1), AC_REASON_GOOD);
        memcpy(changed, text, at + 1);
        memcpy(changed + at + 1, text + at, size - at);
        assert_int_not_equal(verify(changed, size + 1), AC_REASON_GOOD);
        assert_int_not_equal(verify(text, at), AC_REASON_GOOD);
    }
}

/* A signature's scalar plus the group's order would verify in a lax reader. It is refused. */
static void
test_malleable(void **state)
{
    (void)state;
    static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c,
        0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
    char text[AC_TOKEN_SIZE_MAX + 1];
    struct ac_jws jws;
    assert_true(
        ac_jws_sign(HEADER, strlen(HEADER), CLAIMS, strlen(CLAIMS), first->seed, text));
    assert_true(ac_jws_split(&jws, text, strlen(text)));
    unsigned carry = 0;
    for (int i = 0; i < 32; i++) {
        carry += (unsigned)jws.signature[32 + i] + order[i];
        jws.signature[32 + i] = (uint8_t)carry;
        carry >>= 8;
    }
    assert_false(ac_jws_is_signed(&jws, first->public_key));
}

static void
test_mint(void **state)
{
    (void)state;
    struct ac_claims made = {.subject = "Anna \"\\ \xc3\xa9", .world = "*", .id = "x-1",
        .role = AC_ROLE_OPERATOR, .limits = {.force = 0.1, .messages = 7},
        .issuer = "i \"s", .tenant = "t", .audience = {"one", "two"}, .audience_count = 2,
        .expires_s = NOW + 10, .issued_s = NOW};
    char text[AC_TOKEN_SIZE_MAX + 1], kid[AC_ID_SIZE];
    assert_true(ac_quota_set(&made.quota, "checks", 3));
    assert_null(ac_claims_check(&made, NOW));
    assert_true(ac_token_mint(first, &made, text));
    assert_int_equal(verify(text, strlen(text)), AC_REASON_GOOD);
    assert_string_equal(claims.subject, made.subject);
    assert_true(claims.limits.force == 0.1 && claims.limits.messages == 7);
    assert_int_equal(claims.issued_s, NOW);
    assert_string_equal(claims.issuer, made.issuer);
    assert_string_equal(claims.audience[1], "two");
    assert_memory_equal(&claims.quota, &made.quota, sizeof(made.quota));
    struct ac_claims again;
    assert_int_equal(
        ac_token_read(text, strlen(text), &again, kid, &claim), AC_REASON_GOOD);
    assert_string_equal(kid, "first");
    assert_int_equal(again.role, AC_ROLE_OPERATOR);
    made.expires_s = NOW;
    assert_string_equal(ac_claims_check(&made, NOW), "exp");
    made.expires_s = NOW + AC_LIFETIME_S_MAX + 1;
    assert_string_equal(ac_claims_check(&made, NOW), "exp");
    made.expires_s = NOW + 1;
    made.subject[0] = '\0';
    assert_string_equal(ac_claims_check(&made, NOW), "sub");
    made.subject[0] = (char)0xff; /* not UTF-8 */
    assert_string_equal(ac_claims_check(&made, NOW), "payload");
}

static void
test_patterns(void **state)
{
    (void)state;
    assert_true(ac_pattern_fits("*", ""));
    assert_true(ac_pattern_fits("*", "anything"));
    assert_true(ac_pattern_fits("lab", "lab"));
    assert_true(ac_pattern_fits("lab-*", "lab-"));
    assert_true(ac_pattern_fits("lab-*", "lab-2"));
    assert_true(ac_pattern_fits("*-2", "lab-2-2"));
    assert_true(ac_pattern_fits("a*b*c", "aXbYbZc"));
    assert_true(ac_pattern_fits("a**c", "ac"));
    assert_false(ac_pattern_fits("lab", "lab2"));
    assert_false(ac_pattern_fits("lab2", "lab"));
    assert_false(ac_pattern_fits("lab-*", "lab"));
    assert_false(ac_pattern_fits("lab-*", "my-lab-2"));
    assert_false(ac_pattern_fits("", "x"));
    assert_false(ac_pattern_fits("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    assert_false(ac_pattern_fits("lab", "LAB"));
}

static void
test_roles(void **state)
{
    (void)state;
    for (int role = 1; role < AC_ROLE_COUNT; role++) {
        assert_int_equal(ac_role_find(ac_role_name((enum ac_role)role)), role);
    }
    assert_int_equal(ac_role_find("nobody"), AC_ROLE_NONE);
    assert_null(ac_role_name(AC_ROLE_NONE));
}

static int
set_up(void **state)
{
    (void)state;
    char error[AC_ERROR_SIZE];
    first = ac_private_key_create();
    other = ac_private_key_create();
    keys = ac_keys_create();
    if (first == NULL || other == NULL || keys == NULL) {
        return 1;
    }
    strcpy(first->kid, "first");
    strcpy(other->kid, "other");
    const struct ac_private_key *both[] = {first, other};
    for (int i = 0; i < 2; i++) {
        struct ac_public_key key;
        memcpy(key.kid, both[i]->kid, sizeof(key.kid));
        memcpy(key.public_key, both[i]->public_key, sizeof(key.public_key));
        if (!ac_keys_add(keys, &key, error)) {
            return 1;
        }
    }
    ac_keys_seal(keys);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    ac_private_key_destroy(first);
    ac_private_key_destroy(other);
    ac_keys_destroy(keys);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_other_algorithms),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_malleable),
        cmocka_unit_test(test_mint),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_roles),
    };
    return ac_init() ? cmocka_run_group_tests(tests, set_up, tear_down) : 1;
}
