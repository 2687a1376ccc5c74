#include "clients/cli/recording/mcap.h"

#include "engine/base/assert.h"

#include <string.h>

#define CHUNK_SIZE (1024 * 1024)

enum opcode {
    HEADER = 0x01,
    FOOTER = 0x02,
    SCHEMA = 0x03,
    CHANNEL = 0x04,
    MESSAGE = 0x05,
    CHUNK = 0x06,
    MESSAGE_INDEX = 0x07,
    CHUNK_INDEX = 0x08,
    STATISTICS = 0x0b,
    SUMMARY_OFFSET = 0x0e,
    DATA_END = 0x0f,
};

static const unsigned char magic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

/* The CRC of zlib: polynomial 0x04C11DB7, reflected.  For "123456789" it is 0xcbf43926. */
static uint32_t
crc32_add(uint32_t crc, const unsigned char *bytes, size_t size)
{
    static uint32_t table[256];
    if (table[1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t value = i;
            for (int k = 0; k < 8; k++) {
                value = (value >> 1) ^ ((value & 1u) != 0 ? 0xedb88320u : 0u);
            }
            table[i] = value;
        }
    }
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 0xffu];
    }
    return ~crc;
}

/* ---- records ---- */

static void
put_text(struct cli_pack *pack, const char *text)
{
    cli_pack_le(pack, strlen(text), 4);
    cli_pack_bytes(pack, text, strlen(text));
}

static void
put_record(struct cli_pack *to, enum opcode opcode, const struct cli_pack *content)
{
    cli_pack_le(to, (uint64_t)opcode, 1);
    cli_pack_le(to, content->size, 8);
    cli_pack_bytes(to, content->bytes, content->size);
    to->has_failed = to->has_failed || content->has_failed;
}

static void
write_bytes(struct cli_mcap *mcap, const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, 1, size, mcap->out) != size) {
        mcap->has_failed = true;
    }
    if (mcap->is_summary && size > 0) {
        mcap->summary_crc = crc32_add(mcap->summary_crc, bytes, size);
    }
    mcap->at += size;
}

/* Writes a record to the file and empties `content`. */
static void
write_record(struct cli_mcap *mcap, enum opcode opcode, struct cli_pack *content)
{
    unsigned char head[9] = {(unsigned char)opcode};
    for (int i = 0; i < 8; i++) {
        head[1 + i] = (unsigned char)((uint64_t)content->size >> (8 * i));
    }
    write_bytes(mcap, head, sizeof(head));
    write_bytes(mcap, content->bytes, content->size);
    mcap->has_failed = mcap->has_failed || content->has_failed;
    content->size = 0;
}

/* Describes a channel's schema.  A channel and its schema have the same number, from 1. */
static void
describe_schema(const struct cli_mcap *mcap, int channel, struct cli_pack *out)
{
    const struct cli_mcap_channel *of = &mcap->channels[channel];
    cli_pack_le(out, (uint64_t)channel + 1, 2);
    put_text(out, of->schema);
    put_text(out, "protobuf");
    cli_pack_le(out, of->descriptors->size, 4);
    cli_pack_bytes(out, of->descriptors->bytes, of->descriptors->size);
}

static void
describe_channel(const struct cli_mcap *mcap, int channel, struct cli_pack *out)
{
    cli_pack_le(out, (uint64_t)channel + 1, 2);
    cli_pack_le(out, (uint64_t)channel + 1, 2);
    put_text(out, mcap->channels[channel].topic);
    put_text(out, "protobuf");
    cli_pack_le(out, 0, 4); /* no metadata */
}

/* ---- chunks ---- */

/* Writes the message indexes of a chunk, and collects their offsets for the chunk's index. */
static void
write_indexes(struct cli_mcap *mcap, struct cli_pack *offsets)
{
    struct cli_pack content = {0};
    for (int i = 0; i < mcap->channel_count; i++) {
        struct cli_pack *index = &mcap->channels[i].index;
        if (index->size == 0) {
            continue;
        }
        cli_pack_le(offsets, (uint64_t)i + 1, 2);
        cli_pack_le(offsets, mcap->at, 8);
        cli_pack_le(&content, (uint64_t)i + 1, 2);
        cli_pack_le(&content, index->size, 4);
        cli_pack_bytes(&content, index->bytes, index->size);
        write_record(mcap, MESSAGE_INDEX, &content);
        mcap->has_failed = mcap->has_failed || index->has_failed;
        index->size = 0;
    }
    cli_pack_finish(&content);
}

static void
end_chunk(struct cli_mcap *mcap)
{
    struct cli_pack content = {0}, offsets = {0};
    uint64_t at = mcap->at, size = mcap->chunk.size;
    if (size == 0) {
        return;
    }
    cli_pack_le(&content, mcap->chunk_start, 8);
    cli_pack_le(&content, mcap->chunk_end, 8);
    cli_pack_le(&content, size, 8);
    cli_pack_le(&content, crc32_add(0, mcap->chunk.bytes, mcap->chunk.size), 4);
    put_text(&content, "");
    cli_pack_le(&content, size, 8);
    cli_pack_bytes(&content, mcap->chunk.bytes, mcap->chunk.size);
    write_record(mcap, CHUNK, &content);
    uint64_t length = mcap->at - at, indexes = mcap->at;
    write_indexes(mcap, &offsets);
    cli_pack_le(&content, mcap->chunk_start, 8);
    cli_pack_le(&content, mcap->chunk_end, 8);
    cli_pack_le(&content, at, 8);
    cli_pack_le(&content, length, 8);
    cli_pack_le(&content, offsets.size, 4);
    cli_pack_bytes(&content, offsets.bytes, offsets.size);
    cli_pack_le(&content, mcap->at - indexes, 8);
    put_text(&content, "");
    cli_pack_le(&content, size, 8);
    cli_pack_le(&content, size, 8);
    put_record(&mcap->chunk_indexes, CHUNK_INDEX, &content);
    mcap->has_failed = mcap->has_failed || mcap->chunk.has_failed || offsets.has_failed;
    mcap->chunk.size = 0;
    mcap->chunk_count++;
    cli_pack_finish(&content);
    cli_pack_finish(&offsets);
}

/* ---- the file ---- */

void
cli_mcap_begin(struct cli_mcap *mcap, FILE *out, const char *library)
{
    struct cli_pack content = {0};
    CN_ASSERT(0 < mcap->channel_count && mcap->channel_count <= CLI_MCAP_CHANNELS_MAX);
    mcap->out = out;
    write_bytes(mcap, magic, sizeof(magic));
    put_text(&content, "");
    put_text(&content, library);
    write_record(mcap, HEADER, &content);
    cli_pack_finish(&content);
}

void
cli_mcap_message(
    struct cli_mcap *mcap, int channel, uint64_t time_ns, const struct cli_pack *message)
{
    CN_ASSERT(0 <= channel && channel < mcap->channel_count);
    CN_ASSERT(mcap->message_count == 0 || time_ns >= mcap->end); /* in the order of their times */
    struct cli_pack content = {0};
    struct cli_mcap_channel *of = &mcap->channels[channel];
    if (mcap->chunk.size == 0) {
        mcap->chunk_start = time_ns;
    }
    mcap->chunk_end = time_ns;
    if (of->sequence == 0) {
        describe_schema(mcap, channel, &content);
        put_record(&mcap->chunk, SCHEMA, &content);
        content.size = 0;
        describe_channel(mcap, channel, &content);
        put_record(&mcap->chunk, CHANNEL, &content);
        content.size = 0;
    }
    cli_pack_le(&of->index, time_ns, 8);
    cli_pack_le(&of->index, mcap->chunk.size, 8);
    cli_pack_le(&content, (uint64_t)channel + 1, 2);
    cli_pack_le(&content, ++of->sequence, 4);
    cli_pack_le(&content, time_ns, 8);
    cli_pack_le(&content, time_ns, 8);
    cli_pack_bytes(&content, message->bytes, message->size);
    content.has_failed = content.has_failed || message->has_failed;
    put_record(&mcap->chunk, MESSAGE, &content);
    cli_pack_finish(&content);
    mcap->start = mcap->message_count == 0 ? time_ns : mcap->start;
    mcap->end = time_ns;
    mcap->message_count++;
    if (mcap->chunk.size >= CHUNK_SIZE) {
        end_chunk(mcap);
    }
}

static void
write_statistics(struct cli_mcap *mcap, struct cli_pack *content)
{
    uint64_t described = 0;
    for (int i = 0; i < mcap->channel_count; i++) {
        described += mcap->channels[i].sequence > 0 ? 1 : 0;
    }
    cli_pack_le(content, mcap->message_count, 8);
    cli_pack_le(content, described, 2);
    cli_pack_le(content, described, 4);
    cli_pack_le(content, 0, 4); /* attachments */
    cli_pack_le(content, 0, 4); /* metadata */
    cli_pack_le(content, mcap->chunk_count, 4);
    cli_pack_le(content, mcap->start, 8);
    cli_pack_le(content, mcap->end, 8);
    cli_pack_le(content, described * 10, 4);
    for (int i = 0; i < mcap->channel_count; i++) {
        if (mcap->channels[i].sequence > 0) {
            cli_pack_le(content, (uint64_t)i + 1, 2);
            cli_pack_le(content, mcap->channels[i].sequence, 8);
        }
    }
    write_record(mcap, STATISTICS, content);
}

/* Records the position of a group of the summary that began at `from`. */
static void
note_group(
    struct cli_mcap *mcap, struct cli_pack *offsets, enum opcode opcode, uint64_t from)
{
    struct cli_pack content = {0};
    if (mcap->at > from) {
        cli_pack_le(&content, (uint64_t)opcode, 1);
        cli_pack_le(&content, from, 8);
        cli_pack_le(&content, mcap->at - from, 8);
        put_record(offsets, SUMMARY_OFFSET, &content);
    }
    cli_pack_finish(&content);
}

static void
write_summary(struct cli_mcap *mcap, struct cli_pack *offsets)
{
    struct cli_pack content = {0};
    uint64_t from = mcap->at;
    for (int i = 0; i < mcap->channel_count; i++) {
        if (mcap->channels[i].sequence > 0) {
            describe_schema(mcap, i, &content);
            write_record(mcap, SCHEMA, &content);
        }
    }
    note_group(mcap, offsets, SCHEMA, from);
    from = mcap->at;
    for (int i = 0; i < mcap->channel_count; i++) {
        if (mcap->channels[i].sequence > 0) {
            describe_channel(mcap, i, &content);
            write_record(mcap, CHANNEL, &content);
        }
    }
    note_group(mcap, offsets, CHANNEL, from);
    from = mcap->at;
    write_statistics(mcap, &content);
    note_group(mcap, offsets, STATISTICS, from);
    from = mcap->at;
    write_bytes(mcap, mcap->chunk_indexes.bytes, mcap->chunk_indexes.size);
    note_group(mcap, offsets, CHUNK_INDEX, from);
    cli_pack_finish(&content);
}

bool
cli_mcap_end(struct cli_mcap *mcap)
{
    struct cli_pack content = {0}, offsets = {0};
    end_chunk(mcap);
    cli_pack_le(&content, 0, 4); /* no checksum of the whole data: each chunk has its own */
    write_record(mcap, DATA_END, &content);
    uint64_t summary = mcap->at;
    mcap->is_summary = true;
    write_summary(mcap, &offsets);
    uint64_t groups = mcap->at;
    write_bytes(mcap, offsets.bytes, offsets.size);
    /* The footer's checksum also covers the footer's own beginning. */
    cli_pack_le(&content, FOOTER, 1);
    cli_pack_le(&content, 20, 8);
    cli_pack_le(&content, summary, 8);
    cli_pack_le(&content, groups, 8);
    write_bytes(mcap, content.bytes, content.size);
    mcap->is_summary = false;
    cli_pack_le(&content, mcap->summary_crc, 4);
    if (!content.has_failed) {
        write_bytes(mcap, content.bytes + content.size - 4, 4);
    }
    write_bytes(mcap, magic, sizeof(magic));
    bool is_good = !mcap->has_failed && !content.has_failed && !offsets.has_failed &&
        !mcap->chunk_indexes.has_failed;
    cli_pack_finish(&content);
    cli_pack_finish(&offsets);
    cli_pack_finish(&mcap->chunk);
    cli_pack_finish(&mcap->chunk_indexes);
    for (int i = 0; i < mcap->channel_count; i++) {
        cli_pack_finish(&mcap->channels[i].index);
    }
    return is_good;
}
