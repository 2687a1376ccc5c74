#include "server/room/seat_token.h"

#include "engine/base/assert.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define MAC_SIZE 20
#define MAC_TEXT_SIZE (2 * MAC_SIZE + 1)

static const char prefix[] = "seat1.";

_Static_assert(SV_ROOM_KEY_SIZE >= crypto_generichash_KEYBYTES_MIN, "BLAKE2b takes it");
_Static_assert(MAC_SIZE >= crypto_generichash_BYTES_MIN, "and makes it");
_Static_assert(
    sizeof("seat1.") + WIRE_NAME_SIZE + 4 + 11 + MAC_TEXT_SIZE < SV_SEAT_TOKEN_SIZE, "it fits");

bool
sv_seat_token_is(const char *text)
{
    return strncmp(text, prefix, sizeof(prefix) - 1) == 0;
}

static void
write_mac(const uint8_t key[SV_ROOM_KEY_SIZE], const char *text, size_t size,
    char out[MAC_TEXT_SIZE])
{
    uint8_t mac[MAC_SIZE];
    int result = crypto_generichash(
        mac, sizeof(mac), (const uint8_t *)text, size, key, SV_ROOM_KEY_SIZE);
    CN_ASSERT(result == 0); /* the sizes are constants that it takes */
    sodium_bin2hex(out, MAC_TEXT_SIZE, mac, sizeof(mac));
}

void
sv_seat_token_write(const uint8_t key[SV_ROOM_KEY_SIZE], const struct sv_seat_token *token,
    char text[SV_SEAT_TOKEN_SIZE])
{
    char mac[MAC_TEXT_SIZE];
    int size = snprintf(text, SV_SEAT_TOKEN_SIZE, "%s%s.%" PRIu32 ".%" PRIu32, prefix,
        token->room, token->seat, token->serial);
    CN_ASSERT(size > 0 && (size_t)size + MAC_TEXT_SIZE < SV_SEAT_TOKEN_SIZE);
    write_mac(key, text, (size_t)size, mac);
    snprintf(text + size, SV_SEAT_TOKEN_SIZE - (size_t)size, ".%s", mac);
}

/* Reads the number behind the last '.' before `end`, and moves *end to that '.'. */
static bool
take_number(const char *text, size_t *end, uint32_t *number)
{
    size_t at = *end, digits = 0;
    uint64_t value = 0, unit = 1;
    for (; at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9' && digits < 10; digits++) {
        at--;
        value += unit * (uint64_t)(text[at] - '0');
        unit *= 10;
    }
    if (digits == 0 || at == 0 || text[at - 1] != '.' || value > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)value;
    *end = at - 1;
    return true;
}

bool
sv_seat_token_read(
    const uint8_t key[SV_ROOM_KEY_SIZE], const char *text, struct sv_seat_token *token)
{
    char mac[MAC_TEXT_SIZE];
    size_t size = strlen(text), begin = sizeof(prefix) - 1;
    memset(token, 0, sizeof(*token));
    if (!sv_seat_token_is(text) || size >= SV_SEAT_TOKEN_SIZE || size < begin + MAC_TEXT_SIZE) {
        return false;
    }
    size_t end = size - MAC_TEXT_SIZE; /* of the text before ".MAC" */
    write_mac(key, text, end, mac);
    if (text[end] != '.' || sodium_memcmp(text + end + 1, mac, MAC_TEXT_SIZE - 1) != 0) {
        return false;
    }
    if (!take_number(text, &end, &token->serial) || !take_number(text, &end, &token->seat) ||
        end <= begin || end - begin >= sizeof(token->room)) {
        return false;
    }
    memcpy(token->room, text + begin, end - begin);
    return true;
}

void
sv_room_password_hash(const uint8_t key[SV_ROOM_KEY_SIZE],
    const uint8_t salt[SV_ROOM_SALT_SIZE], const char *password, uint8_t hash[SV_ROOM_HASH_SIZE])
{
    crypto_generichash_state state;
    bool is_good =
        crypto_generichash_init(&state, key, SV_ROOM_KEY_SIZE, SV_ROOM_HASH_SIZE) == 0 &&
        crypto_generichash_update(&state, salt, SV_ROOM_SALT_SIZE) == 0 &&
        crypto_generichash_update(&state, (const uint8_t *)password, strlen(password)) == 0 &&
        crypto_generichash_final(&state, hash, SV_ROOM_HASH_SIZE) == 0;
    CN_ASSERT(is_good); /* the sizes are constants that it takes */
    sodium_memzero(&state, sizeof(state));
}

bool
sv_room_password_fits(
    const uint8_t hash[SV_ROOM_HASH_SIZE], const uint8_t other[SV_ROOM_HASH_SIZE])
{
    return sodium_memcmp(hash, other, SV_ROOM_HASH_SIZE) == 0;
}
