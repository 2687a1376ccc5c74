/*
 * checkpoint.h: a file with the whole state of a world at a tick.
 *
 *      0   8  magic, the bytes "CRNCKPT1"
 *      8   4  version of this layout, 1
 *     12   4  physics version
 *     16   8  world
 *     24   8  epoch
 *     32   8  tick
 *     40   8  state hash at that tick
 *     48   8  number of the world's last record before it; 0: none
 *     56   4  that record's crc, the chain of the next
 *     60   4  number of sections, 1 to 8
 *     64      for each section: kind u32, 0 u32, size u64
 *             for each 64 KiB of what follows, the last piece shorter: its CRC32C
 *             CRC32C of everything before this field
 *             the sections' bytes, one after the other
 *
 * A file is written under another name, flushed, renamed, and its folder flushed; only then does
 * the journal name it.  Reading verifies every byte, so an incomplete or altered file is refused.
 *
 * Ownership: sections are heap memory of the checkpoint's.
 */
#ifndef SERVER_STORE_FORMAT_CHECKPOINT_H
#define SERVER_STORE_FORMAT_CHECKPOINT_H

#include "server/base/disk.h"
#include "server/store/format/fault.h"
#include "server/store/format/record.h"

#define SV_CHECKPOINT_SECTIONS_MAX 8
#define SV_CHECKPOINT_BLOCK_SIZE (64 * 1024)

/* Bytes of a content hash, by which scenes are named. */
#define SV_CONTENT_SIZE 32

/* The largest file: a larger checkpoint is refused, and the older ones stay. */
#define SV_CHECKPOINT_SIZE_MAX (UINT64_C(1) << 30)

struct sv_checkpoint {
    /* the world's records up to the checkpoint; also gives world, epoch and physics */
    struct sv_trail trail;
    uint64_t tick, state_hash;
    uint64_t age_ms, stepped_ms; /* for its manifest, see there; not in the file */
    unsigned char content[SV_CONTENT_SIZE]; /* of the scene that the host's part names, or zeros: */
                                            /*
                                             * the scene is stored as long as the file; not in the
                                             * file
                                             */
    int section_count;
    struct {
        uint32_t kind; /* the host's: an image, its own state */
        unsigned char *bytes;
        size_t size;
    } section[SV_CHECKPOINT_SECTIONS_MAX];
};

/* NULL without memory. */
struct sv_checkpoint *sv_checkpoint_create(struct sv_trail trail, uint64_t tick, uint64_t hash);

/* Takes heap memory as one more section; there are less than SECTIONS_MAX. */
void sv_checkpoint_add(
    struct sv_checkpoint *checkpoint, uint32_t kind, unsigned char *bytes_take, size_t size);

/* The section of this kind, or NULL. */
const unsigned char *
sv_checkpoint_find(const struct sv_checkpoint *checkpoint, uint32_t kind, size_t *size);

void sv_checkpoint_destroy(struct sv_checkpoint *checkpoint);

/* "world-NUMBER-RECORD.ckpt" in the folder; RECORD is the trail's number, so names do not repeat.
 */
#define SV_CHECKPOINT_PATH_SIZE 4096
bool sv_checkpoint_path(
    char path[SV_CHECKPOINT_PATH_SIZE], const char *folder, const struct sv_trail *trail);

/* True: the file is durable, and has *size bytes.  False: only a .tmp file may exist. */
bool sv_checkpoint_write(const struct sv_disk *disk, const char *folder,
    const struct sv_checkpoint *checkpoint, uint64_t *size, struct sv_fault *fault);

/* The largest head of a file, with its checks of blocks. */
#define SV_CHECKPOINT_HEAD_MAX                                                                     \
    (64 + SV_CHECKPOINT_SECTIONS_MAX * 16 +                                                        \
        (size_t)(SV_CHECKPOINT_SIZE_MAX / SV_CHECKPOINT_BLOCK_SIZE) * 4 + 4)

struct sv_checkpoint_head {
    struct sv_trail trail;
    uint64_t tick, state_hash;
    int section_count;
    size_t size, checks_at;
    uint64_t body_size;
};

/* Reads and verifies a head from a file's first bytes, which contain at least the whole head. */
bool sv_checkpoint_head_read(const unsigned char *bytes, size_t size, const char *name,
    struct sv_checkpoint_head *head, struct sv_fault *fault);

/* The file's bytes, heap memory of the caller's; NULL: no memory, or too large. */
unsigned char *sv_checkpoint_encode(const struct sv_checkpoint *checkpoint, size_t *size);

/* Reads and verifies a whole file; *checkpoint_give is the caller's. */
bool sv_checkpoint_read(const struct sv_disk *disk, const char *path,
    struct sv_checkpoint **checkpoint_give, struct sv_fault *fault);

/* Reads the checkpoint that a trail names; one of another trail is refused. */
bool sv_checkpoint_read_of(const struct sv_disk *disk, const char *folder,
    const struct sv_trail *trail, struct sv_checkpoint **checkpoint_give, struct sv_fault *fault);

/* Reads it from bytes in memory; `name` is for the fault. */
bool sv_checkpoint_decode(const unsigned char *bytes, size_t size, const char *name,
    struct sv_checkpoint **checkpoint_give, struct sv_fault *fault);

#endif
