#include "server/session/resume.h"
#include "engine/base/assert.h"

#include <sodium.h>
#include <string.h>

#define SESSION_AT 4
#define SECRET_AT 12

_Static_assert(DD_KEPT_KEY_SIZE >= crypto_generichash_KEYBYTES_MIN, "BLAKE2b takes it");
_Static_assert(SV_RESUME_SECRET_SIZE >= crypto_generichash_BYTES_MIN, "and makes it");
_Static_assert(SECRET_AT + SV_RESUME_SECRET_SIZE == WIRE_RESUME_SIZE, "the three parts");

static void
write_number(uint8_t *out, int size, uint64_t value)
{
    CN_ASSERT(size > 0 && size <= 8);
    for (int i = 0; i < size; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t
read_number(const uint8_t *in, int size)
{
    CN_ASSERT(size > 0 && size <= 8);
    uint64_t value = 0;
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)in[i] << (8 * i);
    }
    return value;
}

void
sv_resume_write(const struct sv_resume *resume, uint8_t token[WIRE_RESUME_SIZE])
{
    write_number(token, 4, resume->seat);
    write_number(token + SESSION_AT, 8, resume->session);
    memcpy(token + SECRET_AT, resume->secret, SV_RESUME_SECRET_SIZE);
}

void
sv_resume_read(const uint8_t token[WIRE_RESUME_SIZE], struct sv_resume *resume)
{
    resume->seat = (uint32_t)read_number(token, 4);
    resume->session = read_number(token + SESSION_AT, 8);
    memcpy(resume->secret, token + SECRET_AT, SV_RESUME_SECRET_SIZE);
}

bool
sv_resume_secret(const uint8_t key[DD_KEPT_KEY_SIZE], uint64_t session, uint32_t serial,
    uint8_t secret[SV_RESUME_SECRET_SIZE])
{
    uint8_t text[12];
    write_number(text, 8, session);
    write_number(text + 8, 4, serial);
    return !sodium_is_zero(key, DD_KEPT_KEY_SIZE) &&
        crypto_generichash(secret, SV_RESUME_SECRET_SIZE, text, sizeof(text), key,
            DD_KEPT_KEY_SIZE) == 0;
}

bool
sv_resume_fits(const uint8_t *secret, const uint8_t *other)
{
    unsigned difference = 0, any = 0;
    for (int i = 0; i < SV_RESUME_SECRET_SIZE; i++) {
        difference |= (unsigned)(secret[i] ^ other[i]);
        any |= secret[i];
    }
    return difference == 0 && any != 0;
}
