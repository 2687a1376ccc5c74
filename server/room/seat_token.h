/*
 * seat_token.h: the token of a seat in a room.
 *
 *     seat1.ROOM.SEAT.SERIAL.MAC
 *
 * ROOM is the room's id, and SEAT an index.  SERIAL grows whenever the seat is given to another
 * client.  MAC is BLAKE2b over the text before it, in hex; its key is in this daemon's data folder
 * alone.  So a token is good for one seat of one room until the seat is free again.
 *
 * A room's password is stored as BLAKE2b over a salt and the password, with the same key.
 */
#ifndef SERVER_ROOM_SEAT_TOKEN_H
#define SERVER_ROOM_SEAT_TOKEN_H

#include "proto/wire.h"

#define SV_ROOM_KEY_SIZE 32
#define SV_ROOM_SALT_SIZE 16
#define SV_ROOM_HASH_SIZE 32
#define SV_SEAT_TOKEN_SIZE 160 /* terminator included */

struct sv_seat_token {
    char room[WIRE_NAME_SIZE];
    uint32_t seat, serial;
};

/* Whether the text is such a token by its form; else it may be a token of another kind. */
bool sv_seat_token_is(const char *text);

void sv_seat_token_write(const uint8_t key[SV_ROOM_KEY_SIZE], const struct sv_seat_token *token,
    char text[SV_SEAT_TOKEN_SIZE]);

/* False if the text is no such token, or not of this key. */
bool sv_seat_token_read(
    const uint8_t key[SV_ROOM_KEY_SIZE], const char *text, struct sv_seat_token *token);

void sv_room_password_hash(const uint8_t key[SV_ROOM_KEY_SIZE],
    const uint8_t salt[SV_ROOM_SALT_SIZE], const char *password, uint8_t hash[SV_ROOM_HASH_SIZE]);

/* Whether the hashes are equal, in constant time. */
bool sv_room_password_fits(
    const uint8_t hash[SV_ROOM_HASH_SIZE], const uint8_t other[SV_ROOM_HASH_SIZE]);

#endif
