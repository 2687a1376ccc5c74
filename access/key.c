#include "access/key.h"

#include "engine/base/assert.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING
#define KEY_TEXT_SIZE (sodium_base64_ENCODED_LEN(AC_PUBLIC_SIZE, VARIANT))

bool
ac_is_id(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = strlen(text);
    return length > 0 && length < AC_ID_SIZE && strspn(text, letters) == length;
}

void
ac_id_make(char out[AC_ID_SIZE])
{
    uint8_t bytes[12];
    randombytes_buf(bytes, sizeof(bytes));
    sodium_bin2base64(out, AC_ID_SIZE, bytes, sizeof(bytes), VARIANT);
}

void
ac_wipe(void *bytes, size_t size)
{
    sodium_memzero(bytes, size);
}

/* The thumbprint of RFC 7638, in base64url. */
static void
fill_thumbprint(const uint8_t public_key[AC_PUBLIC_SIZE], char out[AC_ID_SIZE])
{
    char x[KEY_TEXT_SIZE], text[128];
    uint8_t hash[crypto_hash_sha256_BYTES];
    sodium_bin2base64(x, sizeof(x), public_key, AC_PUBLIC_SIZE, VARIANT);
    int size =
        snprintf(text, sizeof(text), "{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"%s\"}", x);
    CN_ASSERT(size > 0 && (size_t)size < sizeof(text)); /* x always has 43 letters */
    crypto_hash_sha256(hash, (const uint8_t *)text, (unsigned long long)size);
    sodium_bin2base64(out, AC_ID_SIZE, hash, sizeof(hash), VARIANT);
}

/* ---- reading ---- */

/* jansson's copies of a private key are wiped when they are freed. */
struct block {
    size_t size;
    size_t padding; /* aligns the following bytes as malloc does */
};

static void *
wiped_malloc(size_t size)
{
    struct block *block = malloc(sizeof(*block) + size);
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    return block + 1;
}

static void
wiped_free(void *memory)
{
    if (memory != NULL) {
        struct block *block = (struct block *)memory - 1;
        sodium_memzero(memory, block->size);
        free(block);
    }
}

static const char *
text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* Whether every member is a known one, and a text. */
static bool
has_known_members(json_t *object, char *error)
{
    static const char *const names[] = {"kty", "crv", "kid", "x", "d", "use", "alg"};
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        bool is_known = false;
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            is_known |= strcmp(name, names[i]) == 0;
        }
        if (!is_known || !json_is_string(value)) {
            snprintf(error, AC_ERROR_SIZE, "%.40s is not a text that a key has", name);
            return false;
        }
    }
    return true;
}

static bool
read_bytes(const char *text, uint8_t out[32])
{
    size_t used = 0;
    return ac_base64_read(text, strlen(text), out, 32, &used) && used == 32;
}

static bool
read_object(json_t *object, struct ac_private_key *key, bool *is_private, char *error)
{
    if (!json_is_object(object) || strcmp(text_of(object, "kty"), "OKP") != 0 ||
        strcmp(text_of(object, "crv"), "Ed25519") != 0) {
        snprintf(error, AC_ERROR_SIZE, "is not a key of Ed25519; make one with cairn key");
        return false;
    }
    if (!has_known_members(object, error)) {
        return false;
    }
    const char *use = text_of(object, "use"), *alg = text_of(object, "alg");
    if ((use[0] != '\0' && strcmp(use, "sig") != 0) ||
        (alg[0] != '\0' && strcmp(alg, "EdDSA") != 0)) {
        snprintf(error, AC_ERROR_SIZE, "is for another use than EdDSA signatures");
        return false;
    }
    if (!read_bytes(text_of(object, "x"), key->public_key)) {
        snprintf(error, AC_ERROR_SIZE, "x is not 32 bytes in base64url without padding");
        return false;
    }
    const json_t *kid = json_object_get(object, "kid");
    if (kid == NULL) {
        fill_thumbprint(key->public_key, key->kid);
    } else if (json_string_length(kid) >= AC_ID_SIZE || !ac_is_id(json_string_value(kid))) {
        snprintf(error, AC_ERROR_SIZE, "kid is not 1 to 64 letters, digits, '-', '_' and '.'");
        return false;
    } else {
        memcpy(key->kid, json_string_value(kid), json_string_length(kid) + 1);
    }
    CN_ASSERT(ac_is_id(key->kid)); /* a thumbprint, too, can name a key */
    *is_private = json_object_get(object, "d") != NULL;
    if (*is_private && !read_bytes(text_of(object, "d"), key->seed)) {
        snprintf(error, AC_ERROR_SIZE, "d is not 32 bytes in base64url without padding");
        return false;
    }
    return true;
}

/* Reads a key, private or public.  NULL with *error filled. */
static struct ac_private_key *
read_key(const char *text, size_t size, bool *is_private, char error[AC_ERROR_SIZE])
{
    json_malloc_t old_malloc;
    json_free_t old_free;
    struct ac_private_key *key = sodium_malloc(sizeof(*key));
    if (key == NULL) {
        snprintf(error, AC_ERROR_SIZE, "no memory");
        return NULL;
    }
    sodium_memzero(key, sizeof(*key));
    json_get_alloc_funcs(&old_malloc, &old_free);
    json_set_alloc_funcs(wiped_malloc, wiped_free);
    json_error_t wrong;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    bool is_good = object != NULL && read_object(object, key, is_private, error);
    if (object == NULL) {
        snprintf(error, AC_ERROR_SIZE, "is not JSON: %.100s", wrong.text);
    }
    json_decref(object);
    json_set_alloc_funcs(old_malloc, old_free);
    if (!is_good) {
        sodium_free(key);
        return NULL;
    }
    return key;
}

struct ac_private_key *
ac_private_key_read(const char *text, size_t size, char error[AC_ERROR_SIZE])
{
    bool is_private = false;
    struct ac_private_key *key = read_key(text, size, &is_private, error);
    if (key == NULL) {
        return NULL;
    }
    uint8_t public_key[crypto_sign_PUBLICKEYBYTES];
    uint8_t *secret_key = sodium_malloc(crypto_sign_SECRETKEYBYTES);
    bool is_good = is_private && secret_key != NULL;
    if (is_good) {
        crypto_sign_seed_keypair(public_key, secret_key, key->seed);
        is_good = sodium_memcmp(public_key, key->public_key, sizeof(public_key)) == 0;
    }
    sodium_free(secret_key);
    if (!is_good) {
        snprintf(error, AC_ERROR_SIZE,
            is_private ? "x and d are not of one key" : "is a public key; the private one signs");
        sodium_free(key);
        return NULL;
    }
    return key;
}

bool
ac_public_key_read(struct ac_public_key *key, const char *text, size_t size,
    bool is_private_good, char error[AC_ERROR_SIZE])
{
    bool is_private = false;
    struct ac_private_key *whole = read_key(text, size, &is_private, error);
    if (whole == NULL) {
        return false;
    }
    bool is_good = !is_private || is_private_good;
    if (is_good) {
        memcpy(key->kid, whole->kid, sizeof(key->kid));
        memcpy(key->public_key, whole->public_key, sizeof(key->public_key));
    } else {
        snprintf(error, AC_ERROR_SIZE, "is a private key; give the public one (.pub)");
    }
    sodium_free(whole);
    return is_good;
}

/* ---- making and writing ---- */

struct ac_private_key *
ac_private_key_create(void)
{
    struct ac_private_key *key = sodium_malloc(sizeof(*key));
    uint8_t *secret_key = sodium_malloc(crypto_sign_SECRETKEYBYTES);
    if (key == NULL || secret_key == NULL) {
        sodium_free(key);
        sodium_free(secret_key);
        return NULL;
    }
    sodium_memzero(key, sizeof(*key));
    crypto_sign_keypair(key->public_key, secret_key);
    crypto_sign_ed25519_sk_to_seed(key->seed, secret_key);
    fill_thumbprint(key->public_key, key->kid);
    sodium_free(secret_key);
    return key;
}

void
ac_private_key_destroy(struct ac_private_key *key)
{
    sodium_free(key);
}

static bool
write_key(const char *kid, const uint8_t *public_key, const uint8_t *seed, char *out,
    size_t out_size)
{
    CN_ASSERT(ac_is_id(kid)); /* nothing in it needs an escape in JSON */
    char x[KEY_TEXT_SIZE], d[KEY_TEXT_SIZE] = "";
    sodium_bin2base64(x, sizeof(x), public_key, AC_PUBLIC_SIZE, VARIANT);
    if (seed != NULL) {
        sodium_bin2base64(d, sizeof(d), seed, AC_SEED_SIZE, VARIANT);
    }
    int size = snprintf(out, out_size,
        "{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"kid\": \"%s\", \"x\": \"%s\"%s%s%s}\n", kid, x,
        seed != NULL ? ", \"d\": \"" : "", d, seed != NULL ? "\"" : "");
    sodium_memzero(d, sizeof(d));
    return (size_t)size < out_size;
}

bool
ac_private_key_write(const struct ac_private_key *key, char *out, size_t out_size)
{
    return write_key(key->kid, key->public_key, key->seed, out, out_size);
}

bool
ac_public_key_write(const struct ac_public_key *key, char *out, size_t out_size)
{
    return write_key(key->kid, key->public_key, NULL, out, out_size);
}

/* ---- sets ---- */

struct ac_keys *
ac_keys_create(void)
{
    struct ac_keys *keys = sodium_malloc(sizeof(*keys));
    if (keys != NULL) {
        sodium_memzero(keys, sizeof(*keys));
    }
    return keys;
}

void
ac_keys_destroy(struct ac_keys *keys)
{
    sodium_free(keys);
}

bool
ac_keys_add(struct ac_keys *keys, const struct ac_public_key *key, char error[AC_ERROR_SIZE])
{
    CN_ASSERT(0 <= keys->count && keys->count <= AC_KEYS_MAX);
    if (keys->count == AC_KEYS_MAX) {
        snprintf(error, AC_ERROR_SIZE, "is one too many; %d keys are in force at once",
            AC_KEYS_MAX);
        return false;
    }
    for (int i = 0; i < keys->count; i++) {
        if (strcmp(keys->key[i].kid, key->kid) == 0) {
            snprintf(error, AC_ERROR_SIZE, "has the kid of another key, %s", key->kid);
            return false;
        }
    }
    keys->key[keys->count++] = *key;
    return true;
}

bool
ac_keys_have(const struct ac_keys *keys, const uint8_t public_key[AC_PUBLIC_SIZE])
{
    CN_ASSERT(keys == NULL || keys->count <= AC_KEYS_MAX);
    for (int i = 0; keys != NULL && i < keys->count; i++) {
        if (memcmp(keys->key[i].public_key, public_key, AC_PUBLIC_SIZE) == 0) {
            return true;
        }
    }
    return false;
}

void
ac_keys_seal(struct ac_keys *keys)
{
    sodium_mprotect_readonly(keys);
}
