#include "server/inspect/proxy_header.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/store/format/crc32c.h"

#include <netinet/in.h>
#include <string.h>

#define TLV_HEAD_SIZE 3
#define TLV_CRC32C 0x03

enum { LOCAL = 0, PROXY = 1 };
enum { UNSPECIFIED = 0x00, TCP4 = 0x11, TCP6 = 0x21, UNIX_STREAM = 0x31 };

static const uint8_t signature[12] = {
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};

static enum sv_proxy_verdict
refuse_header(struct sv_proxy_header *header, const char *reason)
{
    header->reason = reason;
    return SV_PROXY_BAD;
}

static unsigned
read_16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static uint32_t
read_32(const uint8_t *at)
{
    return (uint32_t)read_16(at) << 16 | read_16(at + 2);
}

/* Bytes of the addresses of this family; -1: the family is not supported. */
static int
addresses_size(uint8_t family)
{
    switch (family) {
    case UNSPECIFIED:
        return 0;
    case TCP4:
        return 12;
    case TCP6:
        return 36;
    case UNIX_STREAM:
        return 216;
    default:
        return -1;
    }
}

static void
read_address(uint8_t family, const uint8_t *at, struct sockaddr_storage *out)
{
    if (family == TCP4) {
        struct sockaddr_in v4 = {.sin_family = AF_INET};
        memcpy(&v4.sin_addr, at, 4);
        memcpy(&v4.sin_port, at + 8, 2);
        memcpy(out, &v4, sizeof(v4));
    } else if (family == TCP6) {
        struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
        memcpy(&v6.sin6_addr, at, 16);
        memcpy(&v6.sin6_port, at + 32, 2);
        memcpy(out, &v6, sizeof(v6));
    }
}

/* Whether the checksum is right; it covers the whole header, with zeros in its own place. */
static bool
is_checksum_right(const uint8_t *bytes, size_t size, size_t at)
{
    uint8_t copy[SV_PROXY_HEADER_SIZE_MAX];
    CN_ASSERT(size <= sizeof(copy) && at + 4 <= size);
    memcpy(copy, bytes, size);
    memset(copy + at, 0, 4);
    return sv_crc32c(0, copy, size) == read_32(bytes + at);
}

static enum sv_proxy_verdict
check_tlvs(struct sv_proxy_header *header, const uint8_t *bytes, size_t at)
{
    while (at < header->size) {
        size_t left = header->size - at;
        size_t value_size = left >= TLV_HEAD_SIZE ? read_16(bytes + at + 1) : left;
        if (value_size + TLV_HEAD_SIZE > left) {
            return refuse_header(header, "its TLVs do not fill it");
        }
        bool is_checksum = bytes[at] == TLV_CRC32C;
        if (is_checksum &&
            (value_size != 4 ||
                !is_checksum_right(bytes, header->size, at + TLV_HEAD_SIZE))) {
            return refuse_header(header, "its checksum is wrong");
        }
        at += TLV_HEAD_SIZE + value_size;
    }
    CN_ASSERT(at == header->size);
    return SV_PROXY_GOOD;
}

enum sv_proxy_verdict
sv_proxy_header_read(const uint8_t *bytes, size_t size, struct sv_proxy_header *header)
{
    memset(header, 0, sizeof(*header));
    size_t compared = size < sizeof(signature) ? size : sizeof(signature);
    if (memcmp(bytes, signature, compared) != 0) {
        bool is_version_1 = size >= 6 && memcmp(bytes, "PROXY ", 6) == 0;
        return refuse_header(header, is_version_1
                ? "it is of version 1, which is not read here (HAProxy: send-proxy-v2)"
                : "there is none");
    }
    if (size < SV_PROXY_PREFIX_SIZE) {
        return SV_PROXY_MORE;
    }
    uint8_t command = bytes[12] & 0x0f, family = bytes[13];
    header->size = SV_PROXY_PREFIX_SIZE + read_16(bytes + 14);
    if (bytes[12] >> 4 != 2 || command > PROXY) {
        return refuse_header(header, "its version or command is unknown");
    }
    if (header->size > SV_PROXY_HEADER_SIZE_MAX) {
        return refuse_header(header, "it is longer than 4096 bytes");
    }
    header->is_local = command == LOCAL;
    int fixed = header->is_local ? 0 : addresses_size(family);
    if (fixed < 0) {
        return refuse_header(header, "it is of another family than TCP over IPv4 or IPv6");
    }
    if (header->size < SV_PROXY_PREFIX_SIZE + (size_t)fixed) {
        return refuse_header(header, "it is too short for its addresses");
    }
    if (size < header->size) {
        return SV_PROXY_MORE;
    }
    if (header->is_local || family == UNSPECIFIED) {
        return SV_PROXY_GOOD; /* the bytes after the prefix are skipped */
    }
    read_address(family, bytes + SV_PROXY_PREFIX_SIZE, &header->client);
    return check_tlvs(header, bytes, SV_PROXY_PREFIX_SIZE + (size_t)fixed);
}
