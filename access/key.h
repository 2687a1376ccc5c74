/*
 * key.h: Ed25519 keys and their files.
 *
 * A file is a JSON Web Key: {"kty":"OKP","crv":"Ed25519","kid":"...","x":"..."}.  A private key
 * also has the seed "d".  "use":"sig" and "alg":"EdDSA" are allowed; any other member is refused.
 * `kid` names a key in tokens.  If a file has no `kid`, it is the thumbprint of the key.
 *
 * Source: RFC 7517, RFC 7638 (thumbprint), RFC 8037 sections 2 and A.3.
 *
 * Ownership: keys live in memory of sodium_malloc, between guard pages, and are wiped when they
 * are freed.  Threads: a set belongs to the thread that made it.
 */
#ifndef ACCESS_KEY_H
#define ACCESS_KEY_H

#include "access/jws.h"

/* A key that signs tokens.  Only the command `cairn` has one; the daemon never does. */
struct ac_private_key {
    char kid[AC_ID_SIZE];
    uint8_t seed[AC_SEED_SIZE];
    uint8_t public_key[AC_PUBLIC_SIZE];
};

struct ac_public_key {
    char kid[AC_ID_SIZE];
    uint8_t public_key[AC_PUBLIC_SIZE];
};

/* The public keys whose tokens are accepted. */
struct ac_keys {
    int count;
    struct ac_public_key key[AC_KEYS_MAX];
};

#define AC_ERROR_SIZE 160

/* Makes a key pair; its kid is its thumbprint.  NULL without memory. */
struct ac_private_key *ac_private_key_create(void);
void ac_private_key_destroy(struct ac_private_key *key); /* takes NULL */

/* Reads a private key from the text of its file.  NULL with *error filled. */
struct ac_private_key *ac_private_key_read(
    const char *text, size_t size, char error[AC_ERROR_SIZE]);

/*
 * Reads a public key from the text of its file.  With `is_private_good` the text may also be that
 * of a private key.  A daemon does not set it, because a private key must not be stored with it.
 */
bool ac_public_key_read(struct ac_public_key *key, const char *text, size_t size,
    bool is_private_good, char error[AC_ERROR_SIZE]);

/* Write the text of the key's file, with a line break and a '\0' at its end.  False: no room. */
bool ac_private_key_write(const struct ac_private_key *key, char *out, size_t out_size);
bool ac_public_key_write(const struct ac_public_key *key, char *out, size_t out_size);

/* An empty set; NULL without memory. */
struct ac_keys *ac_keys_create(void);
void ac_keys_destroy(struct ac_keys *keys); /* takes NULL */

/* False with *error filled if the set is full, or already has that kid. */
bool ac_keys_add(
    struct ac_keys *keys, const struct ac_public_key *key, char error[AC_ERROR_SIZE]);

/* Whether the set has the key.  NULL is an empty set. */
bool ac_keys_have(const struct ac_keys *keys, const uint8_t public_key[AC_PUBLIC_SIZE]);

/* Makes the set read-only: from now on a write to it ends the process. */
void ac_keys_seal(struct ac_keys *keys);

/* Makes an id for a token, from 96 random bits. */
void ac_id_make(char out[AC_ID_SIZE]);

/*
 * Overwrites secret bytes.  The compiler does not remove the call, even if nobody reads them later.
 */
void ac_wipe(void *bytes, size_t size);

/* Whether `text` can name a token or a key: 1 to 64 letters, digits, '-', '_' and '.'. */
bool ac_is_id(const char *text);

#endif
