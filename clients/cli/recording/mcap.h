/*
 * mcap.h: a writer of MCAP files: messages of some channels, ordered by time, in chunks.
 *
 * The file: magic; Header; Schemas and Channels and Messages in Chunks, each followed by the
 * MessageIndexes of its channels; DataEnd; the summary: Schemas and Channels once more, Statistics,
 * ChunkIndexes, SummaryOffsets; Footer; magic.  Chunks and the summary are under a CRC32, the one
 * of zlib.  Nothing is compressed.
 *
 * Source: the format's specification, version 0, https://mcap.dev/spec.
 *
 * Ownership: names are borrowed until the file is closed.
 */
#ifndef CLIENTS_CLI_RECORDING_MCAP_H
#define CLIENTS_CLI_RECORDING_MCAP_H

#include "clients/cli/recording/pack.h"

#include <stdio.h>

#define CLI_MCAP_CHANNELS_MAX 8

struct cli_mcap_channel {
    const char *topic;
    const char *schema;             /* the message's full name */
    const struct cli_pack *descriptors; /* a FileDescriptorSet with the schema; borrowed */
    uint32_t sequence;
    struct cli_pack index; /* time and offset of each message in the present chunk */
};

struct cli_mcap {
    FILE *out;
    uint64_t at; /* bytes written */
    uint32_t summary_crc;
    bool is_summary;
    struct cli_mcap_channel channels[CLI_MCAP_CHANNELS_MAX];
    int channel_count;
    struct cli_pack chunk;          /* records of the present chunk */
    uint64_t chunk_start, chunk_end; /* times of its messages */
    struct cli_pack chunk_indexes;  /* whole records */
    uint64_t message_count, chunk_count, start, end;
    bool has_failed;
};

/* Begins a file.  The caller has set the channels, with empty indexes. */
void cli_mcap_begin(struct cli_mcap *mcap, FILE *out, const char *library);

/* Adds a message; its time must not be before that of the message before. */
void cli_mcap_message(
    struct cli_mcap *mcap, int channel, uint64_t time_ns, const struct cli_pack *message);

/* Ends the file and frees the memory.  False: a write failed, or memory ran out. */
bool cli_mcap_end(struct cli_mcap *mcap);

#endif
