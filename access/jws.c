#include "access/jws.h"

#include "engine/base/assert.h"

#include <sodium.h>
#include <string.h>

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

_Static_assert(AC_PUBLIC_SIZE == crypto_sign_PUBLICKEYBYTES &&
        AC_SEED_SIZE == crypto_sign_SEEDBYTES && AC_SIGNATURE_SIZE == crypto_sign_BYTES,
    "the sizes of Ed25519");

bool
ac_init(void)
{
    return sodium_init() >= 0;
}

/* libsodium 1.0.18 accepts some bytes above 127 as letters, so the alphabet is checked here. */
static bool
has_letters_only(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (!is_letter) {
            return false;
        }
    }
    return true;
}

bool
ac_base64_read(const char *text, size_t size, uint8_t *out, size_t out_size, size_t *out_used)
{
    return has_letters_only(text, size) &&
        sodium_base642bin(out, out_size, text, size, NULL, out_used, NULL, VARIANT) == 0;
}

bool
ac_jws_split(struct ac_jws *jws, const char *text, size_t size)
{
    if (size > AC_TOKEN_SIZE_MAX) {
        return false;
    }
    const char *first = memchr(text, '.', size);
    if (first == NULL) {
        return false;
    }
    const char *end = text + size;
    const char *second = memchr(first + 1, '.', (size_t)(end - first - 1));
    if (second == NULL) {
        return false;
    }
    size_t signature_size = 0;
    jws->signed_text = text;
    jws->signed_size = (size_t)(second - text);
    bool is_good = ac_base64_read(text, (size_t)(first - text), (uint8_t *)jws->header,
               sizeof(jws->header), &jws->header_size) &&
        ac_base64_read(first + 1, (size_t)(second - first - 1), (uint8_t *)jws->payload,
            sizeof(jws->payload), &jws->payload_size) &&
        ac_base64_read(second + 1, (size_t)(end - second - 1), jws->signature,
            sizeof(jws->signature), &signature_size) &&
        signature_size == sizeof(jws->signature);
    CN_ASSERT(!is_good || jws->header_size + jws->payload_size < jws->signed_size);
    return is_good;
}

bool
ac_jws_is_signed(const struct ac_jws *jws, const uint8_t public_key[AC_PUBLIC_SIZE])
{
    return crypto_sign_verify_detached(jws->signature, (const uint8_t *)jws->signed_text,
               jws->signed_size, public_key) == 0;
}

/* Appends base64url; the caller has checked that there is room. */
static size_t
append(char *out, size_t used, const void *bytes, size_t size)
{
    CN_ASSERT(used + sodium_base64_ENCODED_LEN(size, VARIANT) <= AC_TOKEN_SIZE_MAX + 1);
    sodium_bin2base64(
        out + used, sodium_base64_ENCODED_LEN(size, VARIANT), bytes, size, VARIANT);
    return used + strlen(out + used);
}

bool
ac_jws_sign(const char *header, size_t header_size, const char *payload, size_t payload_size,
    const uint8_t seed[AC_SEED_SIZE], char out[AC_TOKEN_SIZE_MAX + 1])
{
    uint8_t public_key[crypto_sign_PUBLICKEYBYTES], signature[crypto_sign_BYTES];
    /* Each encoded length includes a terminator, whose byte the '.' or the end takes. */
    if (header_size > AC_TOKEN_SIZE_MAX || payload_size > AC_TOKEN_SIZE_MAX ||
        sodium_base64_ENCODED_LEN(header_size, VARIANT) +
                sodium_base64_ENCODED_LEN(payload_size, VARIANT) +
                sodium_base64_ENCODED_LEN(sizeof(signature), VARIANT) >
            AC_TOKEN_SIZE_MAX + 1) {
        return false;
    }
    uint8_t *secret_key = sodium_malloc(crypto_sign_SECRETKEYBYTES);
    if (secret_key == NULL) {
        return false;
    }
    crypto_sign_seed_keypair(public_key, secret_key, seed);
    size_t used = append(out, 0, header, header_size);
    out[used++] = '.';
    used = append(out, used, payload, payload_size);
    crypto_sign_detached(signature, NULL, (const uint8_t *)out, used, secret_key);
    out[used++] = '.';
    used = append(out, used, signature, sizeof(signature));
    CN_ASSERT(used <= AC_TOKEN_SIZE_MAX && out[used] == '\0');
    sodium_free(secret_key);
    return true;
}
