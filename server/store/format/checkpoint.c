#include "server/store/format/checkpoint.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/format/crc32c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "CRNCKPT1"
#define LAYOUT_VERSION 1
#define HEADER_SIZE 64
#define SECTION_SIZE 16

struct sv_checkpoint *
sv_checkpoint_create(struct sv_trail trail, uint64_t tick, uint64_t hash)
{
    struct sv_checkpoint *checkpoint = calloc(1, sizeof(*checkpoint));
    if (checkpoint != NULL) {
        checkpoint->trail = trail;
        checkpoint->tick = tick;
        checkpoint->state_hash = hash;
    }
    return checkpoint;
}

void
sv_checkpoint_add(
    struct sv_checkpoint *checkpoint, uint32_t kind, unsigned char *bytes_take, size_t size)
{
    CN_ASSERT(checkpoint->section_count < SV_CHECKPOINT_SECTIONS_MAX);
    int i = checkpoint->section_count++;
    checkpoint->section[i].kind = kind;
    checkpoint->section[i].bytes = bytes_take;
    checkpoint->section[i].size = size;
}

const unsigned char *
sv_checkpoint_find(const struct sv_checkpoint *checkpoint, uint32_t kind, size_t *size)
{
    for (int i = 0; i < checkpoint->section_count; i++) {
        if (checkpoint->section[i].kind == kind) {
            *size = checkpoint->section[i].size;
            return checkpoint->section[i].bytes;
        }
    }
    return NULL;
}

void
sv_checkpoint_destroy(struct sv_checkpoint *checkpoint)
{
    if (checkpoint != NULL) {
        CN_ASSERT(checkpoint->section_count <= SV_CHECKPOINT_SECTIONS_MAX);
        for (int i = 0; i < checkpoint->section_count; i++) {
            free(checkpoint->section[i].bytes);
        }
        free(checkpoint);
    }
}

bool
sv_checkpoint_path(
    char path[SV_CHECKPOINT_PATH_SIZE], const char *folder, const struct sv_trail *trail)
{
    return (size_t)snprintf(path, SV_CHECKPOINT_PATH_SIZE, "%s/world-%" PRIu64 "-%" PRIu64 ".ckpt",
               folder, trail->world, trail->number) < SV_CHECKPOINT_PATH_SIZE;
}

static uint64_t
body_size(const struct sv_checkpoint *checkpoint)
{
    uint64_t size = 0;
    for (int i = 0; i < checkpoint->section_count; i++) {
        size += checkpoint->section[i].size;
    }
    return size;
}

static size_t
head_size(int section_count, uint64_t body)
{
    uint64_t blocks = (body + SV_CHECKPOINT_BLOCK_SIZE - 1) / SV_CHECKPOINT_BLOCK_SIZE;
    return HEADER_SIZE + (size_t)section_count * SECTION_SIZE + (size_t)blocks * 4 + 4;
}

/* Writes the checks of the blocks, which ignore the ends of sections. */
static void
put_block_checks(const struct sv_checkpoint *checkpoint, unsigned char *at)
{
    uint32_t crc = 0;
    size_t in_block = 0;
    for (int i = 0; i < checkpoint->section_count; i++) {
        const unsigned char *bytes = checkpoint->section[i].bytes;
        for (size_t left = checkpoint->section[i].size; left > 0;) {
            size_t room = SV_CHECKPOINT_BLOCK_SIZE - in_block;
            size_t part = left < room ? left : room;
            crc = sv_crc32c(crc, bytes, part);
            bytes += part;
            left -= part;
            in_block += part;
            if (in_block == SV_CHECKPOINT_BLOCK_SIZE) {
                cn_put_u32(at, crc);
                at += 4;
                crc = 0;
                in_block = 0;
            }
        }
    }
    if (in_block > 0) {
        cn_put_u32(at, crc);
    }
}

static void
put_head(const struct sv_checkpoint *checkpoint, unsigned char *head, size_t size)
{
    CN_ASSERT(size == head_size(checkpoint->section_count, body_size(checkpoint)));
    const struct sv_trail *trail = &checkpoint->trail;
    memcpy(head, MAGIC, 8);
    cn_put_u32(head + 8, LAYOUT_VERSION);
    cn_put_u32(head + 12, trail->physics);
    cn_put_u64(head + 16, trail->world);
    cn_put_u64(head + 24, trail->epoch);
    cn_put_u64(head + 32, checkpoint->tick);
    cn_put_u64(head + 40, checkpoint->state_hash);
    cn_put_u64(head + 48, trail->number);
    cn_put_u32(head + 56, trail->chain);
    cn_put_u32(head + 60, (uint32_t)checkpoint->section_count);
    unsigned char *at = head + HEADER_SIZE;
    for (int i = 0; i < checkpoint->section_count; i++, at += SECTION_SIZE) {
        cn_put_u32(at, checkpoint->section[i].kind);
        cn_put_u32(at + 4, 0);
        cn_put_u64(at + 8, checkpoint->section[i].size);
    }
    put_block_checks(checkpoint, at);
    cn_put_u32(head + size - 4, sv_crc32c(0, head, size - 4));
}

static enum sv_disk_result
write_file(const struct sv_disk *disk, const char *path, const struct sv_checkpoint *checkpoint,
    const unsigned char *head, size_t size)
{
    int file;
    uint64_t offset = size;
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_REPLACE, &file);
    if (result != SV_DISK_OK) {
        return result;
    }
    result = disk->write_at(disk->context, file, 0, head, size);
    for (int i = 0; i < checkpoint->section_count && result == SV_DISK_OK; i++) {
        size_t section = checkpoint->section[i].size;
        if (section > 0) {
            result =
                disk->write_at(disk->context, file, offset, checkpoint->section[i].bytes, section);
        }
        offset += section;
    }
    CN_ASSERT(result != SV_DISK_OK || offset == size + body_size(checkpoint));
    if (result == SV_DISK_OK) {
        result = disk->datasync(disk->context, file);
    }
    disk->close(disk->context, file);
    return result;
}

bool
sv_checkpoint_write(const struct sv_disk *disk, const char *folder,
    const struct sv_checkpoint *checkpoint, uint64_t *size, struct sv_fault *fault)
{
    char path[SV_CHECKPOINT_PATH_SIZE], temporary[SV_CHECKPOINT_PATH_SIZE + 8];
    uint64_t body = body_size(checkpoint);
    CN_ASSERT(checkpoint->section_count > 0);
    if (!sv_checkpoint_path(path, folder, &checkpoint->trail)) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    if (body > SV_CHECKPOINT_SIZE_MAX) {
        return sv_fault_set(fault, SV_FAULT_FULL, "%s: %" PRIu64 " bytes are too many", path, body);
    }
    snprintf(temporary, sizeof(temporary), "%s.tmp", path);
    size_t head = head_size(checkpoint->section_count, body);
    unsigned char *bytes = calloc(1, head);
    if (bytes == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "%s", path);
    }
    put_head(checkpoint, bytes, head);
    enum sv_disk_result result = write_file(disk, temporary, checkpoint, bytes, head);
    free(bytes);
    if (result == SV_DISK_OK) {
        result = disk->rename(disk->context, temporary, path);
    }
    if (result == SV_DISK_OK) {
        result = disk->sync_folder(disk->context, folder);
    }
    if (result != SV_DISK_OK) {
        sv_fault_set_disk(fault, result, path);
        enum sv_disk_result removed = disk->remove(disk->context, temporary);
        (void)removed; /* a leftover file is overwritten, or removed at the next start */
        return false;
    }
    *size = head + body;
    return true;
}

unsigned char *
sv_checkpoint_encode(const struct sv_checkpoint *checkpoint, size_t *size)
{
    uint64_t body = body_size(checkpoint);
    CN_ASSERT(checkpoint->section_count > 0);
    size_t head = head_size(checkpoint->section_count, body), at = head;
    unsigned char *bytes = body <= SV_CHECKPOINT_SIZE_MAX ? calloc(1, head + body) : NULL;
    if (bytes == NULL) {
        return NULL;
    }
    put_head(checkpoint, bytes, head);
    for (int i = 0; i < checkpoint->section_count; i++) {
        if (checkpoint->section[i].size > 0) {
            memcpy(bytes + at, checkpoint->section[i].bytes, checkpoint->section[i].size);
        }
        at += checkpoint->section[i].size;
    }
    CN_ASSERT(at == head + body);
    *size = at;
    return bytes;
}

static bool
is_damaged(struct sv_fault *fault, const char *name, const char *what)
{
    return sv_fault_set(fault, SV_FAULT_CRC, "%s: %s", name, what);
}

bool
sv_checkpoint_head_read(const unsigned char *bytes, size_t size, const char *name,
    struct sv_checkpoint_head *head, struct sv_fault *fault)
{
    if (size < HEADER_SIZE + SECTION_SIZE + 4 || memcmp(bytes, MAGIC, 8) != 0) {
        return is_damaged(fault, name, "this is no checkpoint");
    }
    if (cn_get_u32(bytes + 8) != LAYOUT_VERSION) {
        return sv_fault_set(fault, SV_FAULT_SCHEMA, "%s: version %u of the layout is not known",
            name, cn_get_u32(bytes + 8));
    }
    uint32_t sections = cn_get_u32(bytes + 60);
    if (sections < 1 || sections > SV_CHECKPOINT_SECTIONS_MAX ||
        size < HEADER_SIZE + sections * SECTION_SIZE + 4) {
        return is_damaged(fault, name, "its head is damaged");
    }
    uint64_t body = 0;
    for (uint32_t i = 0; i < sections; i++) {
        uint64_t section = cn_get_u64(bytes + HEADER_SIZE + i * SECTION_SIZE + 8);
        if (section > SV_CHECKPOINT_SIZE_MAX ||
            cn_get_u32(bytes + HEADER_SIZE + i * SECTION_SIZE + 4) != 0) {
            return is_damaged(fault, name, "its head is damaged");
        }
        body += section;
    }
    *head = (struct sv_checkpoint_head){
        .trail = {.world = cn_get_u64(bytes + 16),
            .epoch = cn_get_u64(bytes + 24),
            .number = cn_get_u64(bytes + 48),
            .chain = cn_get_u32(bytes + 56),
            .physics = cn_get_u32(bytes + 12)},
        .tick = cn_get_u64(bytes + 32),
        .state_hash = cn_get_u64(bytes + 40),
        .section_count = (int)sections,
        .size = head_size((int)sections, body),
        .checks_at = HEADER_SIZE + sections * SECTION_SIZE,
        .body_size = body};
    if (head->size > size) {
        return is_damaged(fault, name, "it is shorter or longer than it says");
    }
    return cn_get_u32(bytes + head->size - 4) == sv_crc32c(0, bytes, head->size - 4) ||
        is_damaged(fault, name, "its head is damaged");
}

/* Checks the head and every block. */
static bool
verify_checkpoint(const unsigned char *bytes, size_t size, const char *name,
    struct sv_checkpoint_head *head, struct sv_fault *fault)
{
    if (!sv_checkpoint_head_read(bytes, size, name, head, fault)) {
        return false;
    }
    if (head->size + head->body_size != size) {
        return is_damaged(fault, name, "it is shorter or longer than it says");
    }
    const unsigned char *check = bytes + head->checks_at;
    for (uint64_t at = 0; at < head->body_size; at += SV_CHECKPOINT_BLOCK_SIZE, check += 4) {
        uint64_t left = head->body_size - at;
        size_t part = left < SV_CHECKPOINT_BLOCK_SIZE ? (size_t)left : SV_CHECKPOINT_BLOCK_SIZE;
        if (cn_get_u32(check) != sv_crc32c(0, bytes + head->size + at, part)) {
            return sv_fault_set(fault, SV_FAULT_CRC, "%s: the block at byte %" PRIu64 " is damaged",
                name, head->size + at);
        }
    }
    return true;
}

bool
sv_checkpoint_decode(const unsigned char *bytes, size_t size, const char *name,
    struct sv_checkpoint **checkpoint_give, struct sv_fault *fault)
{
    struct sv_checkpoint_head head;
    if (!verify_checkpoint(bytes, size, name, &head, fault)) {
        return false;
    }
    size_t at = head.size;
    struct sv_checkpoint *checkpoint =
        sv_checkpoint_create(head.trail, head.tick, head.state_hash);
    if (checkpoint == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "%s", name);
    }
    for (int i = 0; i < head.section_count; i++) {
        const unsigned char *section = bytes + HEADER_SIZE + i * SECTION_SIZE;
        size_t section_size = (size_t)cn_get_u64(section + 8);
        unsigned char *copy = malloc(section_size + 1);
        if (copy == NULL) {
            sv_checkpoint_destroy(checkpoint);
            return sv_fault_set(fault, SV_FAULT_MEMORY, "%s", name);
        }
        memcpy(copy, bytes + at, section_size);
        sv_checkpoint_add(checkpoint, cn_get_u32(section), copy, section_size);
        at += section_size;
    }
    *checkpoint_give = checkpoint;
    return true;
}

/* The size is the file's own, found by looking for its end. */
static enum sv_disk_result
read_all(const struct sv_disk *disk, int file, unsigned char **bytes, size_t *size)
{
    size_t capacity = 1 << 20;
    *bytes = NULL;
    *size = 0;
    for (;;) {
        unsigned char *larger = realloc(*bytes, capacity);
        size_t got;
        if (larger == NULL) {
            return SV_DISK_MEMORY;
        }
        *bytes = larger;
        enum sv_disk_result result =
            disk->read_at(disk->context, file, *size, *bytes + *size, capacity - *size, &got);
        if (result != SV_DISK_OK) {
            return result;
        }
        *size += got;
        if (*size < capacity) {
            return SV_DISK_OK;
        }
        if (capacity > 2 * SV_CHECKPOINT_SIZE_MAX) {
            return SV_DISK_SIZE;
        }
        capacity *= 2;
    }
}

bool
sv_checkpoint_read(const struct sv_disk *disk, const char *path,
    struct sv_checkpoint **checkpoint_give, struct sv_fault *fault)
{
    int file;
    unsigned char *bytes = NULL;
    size_t size = 0;
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_READ, &file);
    if (result == SV_DISK_OK) {
        result = read_all(disk, file, &bytes, &size);
        disk->close(disk->context, file);
    }
    bool is_good;
    if (result == SV_DISK_OK) {
        is_good = sv_checkpoint_decode(bytes, size, path, checkpoint_give, fault);
    } else {
        is_good = sv_fault_set_disk(fault, result, path);
    }
    free(bytes);
    return is_good;
}

bool
sv_checkpoint_read_of(const struct sv_disk *disk, const char *folder,
    const struct sv_trail *trail, struct sv_checkpoint **checkpoint_give, struct sv_fault *fault)
{
    char path[SV_CHECKPOINT_PATH_SIZE];
    struct sv_checkpoint *found = NULL;
    if (!sv_checkpoint_path(path, folder, trail)) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    if (!sv_checkpoint_read(disk, path, &found, fault)) {
        return false;
    }
    if (found->trail.world != trail->world || found->trail.number != trail->number ||
        found->trail.chain != trail->chain) {
        sv_checkpoint_destroy(found);
        return sv_fault_set(fault, SV_FAULT_CHAIN, "%s is another checkpoint", path);
    }
    *checkpoint_give = found;
    return true;
}
