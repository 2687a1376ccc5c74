/*
 * manifest.h: the journal's row about a checkpoint's file; little-endian.
 *
 *      0   8  epoch
 *      8   8  tick
 *     16   8  commit: records after the checkpoint are in this one or later ones
 *     24   8  size of the file [B]
 *     32   4  chain of the world's trail
 *     36   4  physics version
 *     40   8  the world's age, across its resets [ms]
 *     48   8  computing time of its steps [ms]
 *     56   8  bytes of all its records so far
 *
 * A row of 40 bytes, of an older version, has the last three as 0.
 */
#ifndef SERVER_STORE_JOURNAL_MANIFEST_H
#define SERVER_STORE_JOURNAL_MANIFEST_H

#include "server/store/format/record.h"
#include "server/store/journal/journal.h"

#define SV_MANIFEST_SIZE 64
#define SV_MANIFEST_SIZE_OLD 40

struct sv_manifest {
    struct sv_trail trail;
    uint64_t tick, commit, file_size;
    uint64_t age_ms, stepped_ms, record_bytes;
};

void sv_manifest_encode(unsigned char bytes[SV_MANIFEST_SIZE], const struct sv_manifest *manifest);

/* False when the row has neither size. */
bool sv_manifest_decode(const struct sv_row *row, struct sv_manifest *manifest);

#endif
