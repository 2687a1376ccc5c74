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
#define AC_SEED_SIZE 32 /* a private key, in the form of "d" in RFC 8037 */
#define AC_SIGNATURE_SIZE 64

/* The decoded parts of a token, before the signature is checked. */
struct ac_jws {
    char header[AC_TOKEN_SIZE_MAX], payload[AC_TOKEN_SIZE_MAX];
    size_t header_size, payload_size;
    uint8_t signature[AC_SIGNATURE_SIZE];
    const char *signed_text; /* borrowed from the text that was split */
    size_t signed_size;
};

/* Initialises libsodium; call it before the other functions of this folder.  False if it fails. */
bool ac_init(void);

/* False if the text does not have this form, or is longer than AC_TOKEN_SIZE_MAX. */
bool ac_jws_split(struct ac_jws *jws, const char *text, size_t size);

/* Whether the signature was made with the private key of `public_key`. */
bool ac_jws_is_signed(const struct ac_jws *jws, const uint8_t public_key[AC_PUBLIC_SIZE]);

/* Writes the signed text and a '\0'.  False if it would be longer than a token may be. */
bool ac_jws_sign(const char *header, size_t header_size, const char *payload, size_t payload_size,
    const uint8_t seed[AC_SEED_SIZE], char out[AC_TOKEN_SIZE_MAX + 1]);

/* Decodes base64url to at most `out_size` bytes.  False: the text is not valid or does not fit. */
bool ac_base64_read(
    const char *text, size_t size, uint8_t *out, size_t out_size, size_t *out_used);

#endif
