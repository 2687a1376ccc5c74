/*
 * jws.h: signed texts of three parts, with one algorithm.
 *
 *     BASE64URL(header) '.' BASE64URL(payload) '.' BASE64URL(signature)
 *
 * The signature is that of Ed25519 over the bytes before the second '.'.  Base64url is read
 * strictly: no padding, no other letters, no unused bits.  So there is only one way to write a
 * signed text.
 *
 * Source: RFC 7515 (compact serialisation, appendix C), RFC 8032, RFC 8037 (EdDSA).
 */
#ifndef ACCESS_JWS_H
#define ACCESS_JWS_H

#include "access/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AC_PUBLIC_SIZE 32
#define AC_SEED_SIZE 32 /* a private key, as RFC 8037 keeps it in "d" */
#define AC_SIGNATURE_SIZE 64

/* The parts, decoded; the signature is not yet checked. */
struct ac_jws {
    char header[AC_TOKEN_SIZE_MAX], payload[AC_TOKEN_SIZE_MAX];
    size_t header_size, payload_size;
    uint8_t signature[AC_SIGNATURE_SIZE];
    const char *signed_text; /* borrowed from the text that was split */
    size_t signed_size;
};

/* Makes libsodium ready; call before anything else of this folder. False when it can not be. */
bool ac_init(void);

/* False when the text is not of this form, or longer than AC_TOKEN_SIZE_MAX. */
bool ac_jws_split(struct ac_jws *jws, const char *text, size_t size);

/* Whether who has the private key of `public_key` has signed this. */
bool ac_jws_is_signed(const struct ac_jws *jws, const uint8_t public_key[AC_PUBLIC_SIZE]);

/* Writes the signed text, '\0' after it; false when it would be longer than a token may be. */
bool ac_jws_sign(const char *header, size_t header_size, const char *payload, size_t payload_size,
    const uint8_t seed[AC_SEED_SIZE], char out[AC_TOKEN_SIZE_MAX + 1]);

/* Base64url of up to `out_size` bytes; false when it is not exactly that. */
bool ac_base64_read(
    const char *text, size_t size, uint8_t *out, size_t out_size, size_t *out_used);

#endif
