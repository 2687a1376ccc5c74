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

/* Who signs; only the command `cairn` ever has one. */
struct ac_private_key {
    char kid[AC_ID_SIZE];
    uint8_t seed[AC_SEED_SIZE];
    uint8_t public_key[AC_PUBLIC_SIZE];
};

struct ac_public_key {
    char kid[AC_ID_SIZE];
    uint8_t public_key[AC_PUBLIC_SIZE];
};

/* Whose tokens are good. */
struct ac_keys {
    int count;
    struct ac_public_key key[AC_KEYS_MAX];
};

#define AC_ERROR_SIZE 160

/* A new key pair under its thumbprint; NULL when there is no memory. */
struct ac_private_key *ac_private_key_create(void);
void ac_private_key_destroy(struct ac_private_key *key); /* takes NULL */

/* A private key from its file's text; NULL with *error filled. */
struct ac_private_key *ac_private_key_read(
    const char *text, size_t size, char error[AC_ERROR_SIZE]);

/*
 * A public key from the text of a public key's file, or with `is_private_good` of a private one's:
 * a daemon refuses those, which have no place beside it.
 */
bool ac_public_key_read(struct ac_public_key *key, const char *text, size_t size,
    bool is_private_good, char error[AC_ERROR_SIZE]);

/* The file's text, '\0' and a line break at its end; false when it does not fit. */
bool ac_private_key_write(const struct ac_private_key *key, char *out, size_t out_size);
bool ac_public_key_write(const struct ac_public_key *key, char *out, size_t out_size);

/* The thumbprint of RFC 7638, in base64url. */
void ac_thumbprint(const uint8_t public_key[AC_PUBLIC_SIZE], char out[AC_ID_SIZE]);

/* An empty set; NULL without memory. */
struct ac_keys *ac_keys_create(void);
void ac_keys_destroy(struct ac_keys *keys); /* takes NULL */

/* False with *error filled: the set is full, or has that kid. */
bool ac_keys_add(
    struct ac_keys *keys, const struct ac_public_key *key, char error[AC_ERROR_SIZE]);

/* Whether the key is in force; of NULL, none is. */
bool ac_keys_have(const struct ac_keys *keys, const uint8_t public_key[AC_PUBLIC_SIZE]);

/* From here on the set is read only, and a write to it ends the process. */
void ac_keys_seal(struct ac_keys *keys);

/* A new id for a token, of 96 random bits. */
void ac_id_make(char out[AC_ID_SIZE]);

/* Overwrites what was secret, also where the compiler sees that nobody reads it any more. */
void ac_wipe(void *bytes, size_t size);

/* Whether `text` can name a token or a key: 1 to 64 letters, digits, '-', '_' and '.'. */
bool ac_is_id(const char *text);

#endif
