/*
 * fuzz_token.c: corrupted tokens, and any contents with a valid signature.
 *
 * The first byte chooses:
 *
 *   - any bytes as a token: it is never accepted, because its signature is wrong
 *   - a valid token with changes: it is accepted only if no byte changed
 *   - any header and payload, with a valid signature: if it is accepted, its claims are valid, and
 *     writing and reading them again gives the same claims
 *   - a text: read as a list of revoked tokens, and as a quota
 *   - the file of a key: if it can be read, writing and reading it again gives the same key
 */
#include "access/claims.h"
#include "access/token.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW INT64_C(1800000000)

/* The key of RFC 8037, appendix A.1. It is the same in every run, so a finding can be repeated. */
static const char key_text[] =
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\","
    "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\",\"kid\":\"k\"}";

static struct ac_private_key *key;
static struct ac_keys *keys;

struct input {
    const uint8_t *at, *end;
};

static unsigned
take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void
set_up(void)
{
    struct ac_public_key public_key;
    char error[AC_ERROR_SIZE];
    CN_ASSERT(ac_init());
    key = ac_private_key_read(key_text, sizeof(key_text) - 1, error);
    keys = ac_keys_create();
    CN_ASSERT(key != NULL && keys != NULL);
    memcpy(public_key.kid, key->kid, sizeof(public_key.kid));
    memcpy(public_key.public_key, key->public_key, sizeof(public_key.public_key));
    CN_ASSERT(ac_keys_add(keys, &public_key, error));
    ac_keys_seal(keys);
}

static enum ac_reason
verify(const char *text, size_t size, struct ac_claims *claims)
{
    const char *claim;
    /* A copy that ends where the text does, so that a byte read beyond is seen. */
    char *exact = malloc(size + (size == 0));
    CN_ASSERT(exact != NULL);
    memcpy(exact, text, size);
    enum ac_reason reason = ac_token_verify(keys, exact, size, NOW, claims, &claim);
    bool names_claim = reason == AC_REASON_CLAIM || reason == AC_REASON_LIFETIME ||
        reason == AC_REASON_EARLY || reason == AC_REASON_EXPIRED;
    CN_ASSERT((claim != NULL) == names_claim);
    free(exact);
    return reason;
}

/* ---- a good token, changed ---- */

static void
fill(struct input *in, char *text, size_t size, const char *letters)
{
    size_t length = 1 + take(in) % (size - 1);
    for (size_t i = 0; i < length; i++) {
        text[i] = letters[take(in) % strlen(letters)];
    }
}

static size_t
make_good(struct input *in, char *text)
{
    static const char id[] = "abcxyzABZ019-_.";
    struct ac_claims claims = {0};
    fill(in, claims.subject, sizeof(claims.subject), "ab \"\\/{}[]:,'&<\x7e");
    fill(in, claims.world, sizeof(claims.world), "abZ09-_.*");
    fill(in, claims.id, sizeof(claims.id), id);
    claims.role = (enum ac_role)(1 + take(in) % (AC_ROLE_COUNT - 1));
    claims.expires_s = NOW + 1 + (int64_t)(take(in) * 337);
    claims.issued_s = take(in) % 2 != 0 ? NOW : 0;
    claims.not_before_s = take(in) % 2 != 0 ? NOW - (int64_t)take(in) : 0;
    claims.limits.force = take(in) * 0.37;
    claims.limits.torque = take(in) * 1e-3;
    claims.limits.messages = take(in);
    unsigned named = take(in);
    if (named % 2 != 0) {
        fill(in, claims.issuer, sizeof(claims.issuer) / 4, "ab:/.");
        fill(in, claims.tenant, sizeof(claims.tenant), "ab \"\\");
    }
    claims.audience_count = (int)(named / 2 % (AC_AUDIENCES_MAX + 1));
    for (int i = 0; i < claims.audience_count; i++) {
        fill(in, claims.audience[i], sizeof(claims.audience[i]) / 4, "ab:/.");
    }
    for (int kind = 0; kind < AC_QUOTA_COUNT && named / 16 % 2 != 0; kind++) {
        CN_ASSERT(ac_quota_set(&claims.quota, ac_quota_name((enum ac_quota_kind)kind),
            1024 + (int64_t)take(in) * 12));
    }
    CN_ASSERT(ac_claims_check(&claims, NOW) == NULL);
    CN_ASSERT(ac_token_mint(key, &claims, text));
    struct ac_claims read;
    CN_ASSERT(verify(text, strlen(text), &read) == AC_REASON_GOOD);
    CN_ASSERT(strcmp(read.subject, claims.subject) == 0 && read.role == claims.role);
    CN_ASSERT(read.limits.force == claims.limits.force && read.expires_s == claims.expires_s);
    CN_ASSERT(memcmp(&read.quota, &claims.quota, sizeof(read.quota)) == 0);
    CN_ASSERT(strcmp(read.issuer, claims.issuer) == 0 && strcmp(read.tenant, claims.tenant) == 0);
    CN_ASSERT(read.audience_count == claims.audience_count &&
        memcmp(read.audience, claims.audience, sizeof(read.audience)) == 0);
    return strlen(text);
}

/* One change: a byte set, taken out, put in; two swapped; the end cut off; a part exchanged. */
static size_t
change(struct input *in, char *text, size_t size)
{
    unsigned how = take(in);
    size_t at = (take(in) << 8 | take(in)) % size, other = (take(in) << 8 | take(in)) % size;
    char kept = text[at];
    switch (how % 6) {
    case 0:
        text[at] = (char)take(in);
        return size;
    case 1:
        memmove(text + at, text + at + 1, size - at - 1);
        return size - 1;
    case 2:
        memmove(text + at + 1, text + at, size - at);
        text[at] = (char)take(in);
        return size + 1;
    case 3:
        text[at] = text[other];
        text[other] = kept;
        return size;
    case 4:
        return at;
    default:
        memmove(text + at, text + other, size - (at > other ? at : other));
        return size;
    }
}

static void
test_changed(struct input *in)
{
    char good[AC_TOKEN_SIZE_MAX + 64] = "", text[AC_TOKEN_SIZE_MAX + 64] = "";
    struct ac_claims claims;
    size_t good_size = make_good(in, good), size = good_size;
    memcpy(text, good, sizeof(text));
    for (unsigned left = take(in) % 4; left > 0 && size > 0; left--) {
        size = change(in, text, size);
    }
    bool is_same = size == good_size && memcmp(text, good, size) == 0;
    CN_ASSERT((verify(text, size, &claims) == AC_REASON_GOOD) == is_same);
}

/* ---- texts with a valid signature ---- */

static void
check_claims(const struct ac_claims *claims)
{
    struct ac_claims again;
    CN_ASSERT(ac_role_name(claims->role) != NULL);
    CN_ASSERT(claims->expires_s > NOW && claims->expires_s <= NOW + AC_LIFETIME_S_MAX);
    CN_ASSERT(ac_is_id(claims->id) && claims->subject[0] != '\0' && claims->world[0] != '\0');
    CN_ASSERT(claims->limits.force >= 0 && claims->limits.force <= AC_FORCE_MAX);
    CN_ASSERT(claims->limits.messages <= AC_MESSAGE_RATE_MAX);
    for (const char *c = claims->subject; *c != '\0'; c++) {
        CN_ASSERT((unsigned char)*c >= 0x20 && *c != 0x7f);
    }
    char *text = ac_claims_print(claims);
    CN_ASSERT(text != NULL && ac_claims_read(text, strlen(text), &again) == NULL);
    CN_ASSERT(strcmp(again.subject, claims->subject) == 0);
    CN_ASSERT(strcmp(again.world, claims->world) == 0);
    CN_ASSERT(again.limits.torque == claims->limits.torque);
    CN_ASSERT(again.not_before_s == claims->not_before_s);
    CN_ASSERT(memcmp(&again.quota, &claims->quota, sizeof(again.quota)) == 0);
    CN_ASSERT(strcmp(again.issuer, claims->issuer) == 0);
    CN_ASSERT(claims->audience_count <= AC_AUDIENCES_MAX);
    CN_ASSERT(memcmp(again.audience, claims->audience, sizeof(again.audience)) == 0);
    free(text);
    ac_pattern_fits(claims->world, claims->id);
}

static void
test_signed(struct input *in)
{
    static const char header[] = "{\"alg\":\"EdDSA\",\"typ\":\"JWT\"}";
    char text[AC_TOKEN_SIZE_MAX + 1];
    struct ac_claims claims;
    bool is_own_header = take(in) % 4 == 0;
    size_t size = (size_t)(in->end - in->at);
    size_t header_size = is_own_header && size > 0 ? take(in) % (size + 1) : 0;
    const char *rest = (const char *)in->at;
    size = (size_t)(in->end - in->at);
    header_size = header_size < size ? header_size : size;
    bool is_made = is_own_header
        ? ac_jws_sign(rest, header_size, rest + header_size, size - header_size, key->seed, text)
        : ac_jws_sign(header, sizeof(header) - 1, rest, size, key->seed, text);
    if (is_made && verify(text, strlen(text), &claims) == AC_REASON_GOOD) {
        check_claims(&claims);
    }
}

static void
test_key_file(const char *text, size_t size)
{
    char error[AC_ERROR_SIZE], written[AC_KEY_FILE_SIZE_MAX];
    struct ac_public_key read, again;
    struct ac_private_key *private_key = ac_private_key_read(text, size, error);
    if (ac_public_key_read(&read, text, size, true, error)) {
        CN_ASSERT(ac_is_id(read.kid));
        CN_ASSERT(ac_public_key_write(&read, written, sizeof(written)));
        CN_ASSERT(ac_public_key_read(&again, written, strlen(written), false, error));
        CN_ASSERT(memcmp(read.public_key, again.public_key, sizeof(again.public_key)) == 0);
    } else {
        CN_ASSERT(private_key == NULL && error[0] != '\0');
    }
    ac_private_key_destroy(private_key);
}

/*
 * A list that is read knows the ids that it names, and no other; a quota's text is read strictly.
 */
static void
test_texts(const char *text, size_t size)
{
    char error[AC_REVOKED_ERROR_SIZE], wrong[AC_QUOTA_ERROR_SIZE];
    char *exact = malloc(size + 1);
    CN_ASSERT(exact != NULL);
    memcpy(exact, text, size);
    struct ac_revoked *list = ac_revoked_read(exact, size, error);
    if (list != NULL && size > 4 && memcmp(exact, "jti ", 4) == 0 &&
        memchr(exact, '\n', size) == NULL && memchr(exact, ' ', size) == exact + 3) {
        exact[size] = '\0';
        CN_ASSERT(exact[size - 1] == '\r' || ac_revoked_has(list, exact + 4, "", NOW));
    }
    CN_ASSERT(list == NULL || !ac_revoked_has(list, "not among them!", "", NOW));
    ac_revoked_destroy(list);
    exact[size] = '\0';
    struct ac_quota quota = {0};
    if (ac_quota_parse(&quota, exact, wrong)) {
        CN_ASSERT(quota.said != 0 && quota.said < 1U << AC_QUOTA_COUNT);
    } else {
        CN_ASSERT(strlen(wrong) < sizeof(wrong) && strstr(wrong, "accepted") != NULL);
    }
    free(exact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    struct ac_claims claims;
    if (keys == NULL) {
        set_up();
    }
    switch (take(&in) % 5) {
    case 0:
        CN_ASSERT(verify((const char *)in.at, (size_t)(in.end - in.at), &claims) !=
            AC_REASON_GOOD);
        break;
    case 1:
        test_changed(&in);
        break;
    case 2:
        test_signed(&in);
        break;
    case 3:
        test_texts((const char *)in.at, (size_t)(in.end - in.at));
        break;
    default:
        test_key_file((const char *)in.at, (size_t)(in.end - in.at));
    }
    return 0;
}
