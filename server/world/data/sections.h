/*
 * sections.h: the sections of a world's checkpoint.
 *
 * A checkpoint has up to seven sections: the engine's image; the same state in the portable form
 * (engine/state/portable.h), for other versions of the physics; the host's own section,
 * little-endian:
 *
 *     version u32, 1     generation u32     series u32     state u8
 *     the content hash of the scene that was loaded, 32 bytes
 *     the settings that were changed after that, as entries have them
 *     session count u32, for each its number u64 and its last settled input u64
 *
 * the scene that is shown, as a message, when bodies or joints have been made or removed; and the
 * world's age and origin:
 *
 *     version u32, 1     age u64 [us]     time in steps u64 [ns]
 *     the tick of its origin u64     the origin's id, 64 bytes; empty: made from a scene
 *
 * A section of its own has the leases, caps and kept sessions (world_sessions.c).
 *
 * Threads: values.
 */
#ifndef SERVER_WORLD_DATA_SECTIONS_H
#define SERVER_WORLD_DATA_SECTIONS_H

#include "proto/codec.h"

#define SV_HOST_PART_VERSION 1
#define SV_SESSIONS_PART_VERSION 1
#define SV_PAST_PART_SIZE (4 + 8 + 8 + 8 + WIRE_NAME_SIZE)
enum sv_section {
    SV_SECTION_IMAGE = 1,
    SV_SECTION_HOST = 2,
    SV_SECTION_SHOWN = 3,
    SV_SECTION_PAST = 4,
    SV_SECTION_PORTABLE = 5,
    SV_SECTION_SESSIONS = 6,
    SV_SECTION_LOGIC = 7, /* only of a world that has a logic; see logic.h */
};

#endif
