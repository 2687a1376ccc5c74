/*
 * fuzz_proxy_header.c: headers of the PROXY protocol by construction, with TLVs and their checksum,
 * and corrupted headers.
 *
 * An intact header is accepted and gives the address that it was made from.  Every shorter part of
 * it asks for more bytes, and for the right number once 16 bytes are there.  A header with a
 * checksum and one wrong byte is never accepted.
 */
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/inspect/proxy_header.h"
#include "server/store/format/crc32c.h"
#include "tests/fuzz/take.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t bytes[SV_PROXY_HEADER_SIZE_MAX + 512];
static size_t bytes_size;

static void
add(const void *from, size_t size)
{
    memcpy(bytes + bytes_size, from, size);
    bytes_size += size;
}

static void
add_tlv(struct take *in)
{
    uint8_t head[3] = {(uint8_t)(0x20 + take_byte(in) % 64), 0, (uint8_t)take_byte(in)};
    uint8_t value[256] = {0};
    add(head, sizeof(head));
    add(value, head[2]);
}

/* Whether the whole is under a checksum. */
static bool
make(struct take *in)
{
    static const char signature[] = "\r\n\r\n\0\r\nQUIT\n";
    static const uint8_t families[] = {0x00, 0x11, 0x21, 0x31};
    static const size_t sizes[] = {0, 12, 36, 216};
    unsigned how = take_byte(in), family = how % 4;
    uint8_t head[4] = {how < 224 ? 0x21 : 0x20, families[family], 0, 0};
    bytes_size = 0;
    add(signature, 12);
    add(head, sizeof(head));
    for (size_t i = 0; i < sizes[family]; i++) {
        uint8_t byte = (uint8_t)take_byte(in);
        add(&byte, 1);
    }
    bool has_address = how < 224 && (family == 1 || family == 2);
    for (unsigned count = take_byte(in) % 6; has_address && count > 0; count--) {
        add_tlv(in);
    }
    bool is_checked = has_address && take_byte(in) % 2 == 0;
    if (is_checked) {
        add("\x03\0\4\0\0\0\0", 7);
    }
    bytes[14] = (uint8_t)((bytes_size - 16) >> 8);
    bytes[15] = (uint8_t)(bytes_size - 16);
    if (is_checked) {
        uint32_t crc = htonl(sv_crc32c(0, bytes, bytes_size));
        memcpy(bytes + bytes_size - 4, &crc, 4);
    }
    return is_checked;
}

static void
check_address(const struct sv_proxy_header *header)
{
    if (header->is_local || bytes[13] == 0x00 || bytes[13] == 0x31) {
        CN_ASSERT(header->client.ss_family == AF_UNSPEC);
    } else if (bytes[13] == 0x11) {
        struct sockaddr_in v4;
        memcpy(&v4, &header->client, sizeof(v4));
        CN_ASSERT(v4.sin_family == AF_INET && memcmp(&v4.sin_addr, bytes + 16, 4) == 0);
    } else {
        struct sockaddr_in6 v6;
        memcpy(&v6, &header->client, sizeof(v6));
        CN_ASSERT(v6.sin6_family == AF_INET6 && memcmp(&v6.sin6_addr, bytes + 16, 16) == 0);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    struct sv_proxy_header header, part;
    bool is_checked = make(&in), is_changed = false;
    for (unsigned count = take_byte(&in) % 8 > 4 ? take_byte(&in) % 4 : 0; count > 0; count--) {
        size_t at = (take_byte(&in) % 2 == 0 ? take_byte(&in) % 32U : take_u32(&in)) % bytes_size;
        uint8_t was = bytes[at];
        bytes[at] = (uint8_t)take_byte(&in);
        is_changed |= bytes[at] != was;
    }
    bytes_size -= take_byte(&in) < 16 ? take_byte(&in) % bytes_size : 0;
    size_t whole_size = bytes_size > 15 ? 16 + ((size_t)bytes[14] << 8 | bytes[15]) : 0;
    uint8_t *copy = malloc(bytes_size); /* the sanitizer sees a read beyond it */
    CN_ASSERT(copy != NULL);
    memcpy(copy, bytes, bytes_size);
    enum sv_proxy_verdict verdict = sv_proxy_header_read(copy, bytes_size, &header);
    free(copy);
    bool is_whole = whole_size > 0 && bytes_size >= whole_size;
    CN_ASSERT(is_changed || verdict == (is_whole ? SV_PROXY_GOOD : SV_PROXY_MORE));
    CN_ASSERT(verdict != SV_PROXY_BAD || header.reason != NULL);
    CN_ASSERT(verdict != SV_PROXY_MORE || !is_whole);
    if (verdict == SV_PROXY_GOOD) {
        CN_ASSERT(is_whole && header.size == whole_size);
        check_address(&header);
        size_t shorter = take_u32(&in) % whole_size;
        CN_ASSERT(shorter == 0 ||
            sv_proxy_header_read(bytes, shorter, &part) == SV_PROXY_MORE);
        CN_ASSERT(shorter < 16 || part.size == whole_size);
    }
    /* One byte of the addresses changed under the checksum. */
    if (is_checked && !is_changed && verdict == SV_PROXY_GOOD) {
        size_t at = 16 + take_byte(&in) % (bytes[13] == 0x11 ? 12U : 36U);
        bytes[at] ^= (uint8_t)(1 + take_byte(&in) % 255);
        CN_ASSERT(sv_proxy_header_read(bytes, bytes_size, &header) == SV_PROXY_BAD);
    }
    return 0;
}
