/*
 * test_proxy_header.c: headers of the PROXY protocol, byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/inspect/proxy_header.h"
#include "server/store/format/crc32c.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t at[70000];
    size_t size;
};

static struct bytes text;

static void
begin(uint8_t command, uint8_t family)
{
    static const char signature[] = "\r\n\r\n\0\r\nQUIT\n";
    memcpy(text.at, signature, 12);
    text.at[12] = command;
    text.at[13] = family;
    text.size = 16;
}

static void
add(const void *bytes, size_t size)
{
    memcpy(text.at + text.size, bytes, size);
    text.size += size;
}

static void
end(void)
{
    text.at[14] = (uint8_t)((text.size - 16) >> 8);
    text.at[15] = (uint8_t)(text.size - 16);
}

/* The verdict, which is MORE for every part of the whole that is not bad. */
static enum sv_proxy_verdict
read_all(struct sv_proxy_header *header)
{
    enum sv_proxy_verdict whole = sv_proxy_header_read(text.at, text.size, header);
    if (whole == SV_PROXY_GOOD) {
        for (size_t n = 1; n < text.size; n++) {
            struct sv_proxy_header part;
            uint8_t *copy = malloc(n);
            assert_non_null(copy);
            memcpy(copy, text.at, n);
            assert_int_equal(sv_proxy_header_read(copy, n, &part), SV_PROXY_MORE);
            assert_int_equal(part.size, n < 16 ? 0 : text.size);
            free(copy);
        }
    }
    return whole;
}

static void
begin_v4(uint8_t command)
{
    begin(command, 0x11);
    add("\xc0\x00\x02\x07\x0a\x00\x00\x01\x30\x39\x01\xbb", 12); /* 192.0.2.7:12345 */
}

static void
test_addresses(void **state)
{
    (void)state;
    struct sv_proxy_header header;
    begin_v4(0x21);
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    struct sockaddr_in v4;
    memcpy(&v4, &header.client, sizeof(v4));
    assert_int_equal(v4.sin_family, AF_INET);
    assert_int_equal(ntohl(v4.sin_addr.s_addr), 0xc0000207);
    assert_int_equal(ntohs(v4.sin_port), 12345);
    assert_int_equal(header.size, 28);
    assert_false(header.is_local);

    uint8_t addresses[36] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1, [31] = 2, [32] = 0x12, [33] = 0x34};
    begin(0x21, 0x21);
    add(addresses, sizeof(addresses));
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    struct sockaddr_in6 v6;
    memcpy(&v6, &header.client, sizeof(v6));
    assert_int_equal(v6.sin6_family, AF_INET6);
    assert_memory_equal(&v6.sin6_addr, addresses, 16);
    assert_int_equal(ntohs(v6.sin6_port), 0x1234);
}

static void
test_without_an_address(void **state)
{
    (void)state;
    struct sv_proxy_header header;
    begin_v4(0x20); /* LOCAL: what its addresses say does not count */
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    assert_true(header.is_local);
    assert_int_equal(header.client.ss_family, AF_UNSPEC);
    begin(0x20, 0x00);
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    assert_int_equal(header.size, 16);
    begin(0x21, 0x00);
    add("anything", 8);
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    assert_false(header.is_local);
    assert_int_equal(header.client.ss_family, AF_UNSPEC);
    uint8_t paths[216] = "/tmp/a";
    begin(0x21, 0x31);
    add(paths, sizeof(paths));
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    assert_int_equal(header.client.ss_family, AF_UNSPEC);
}

static void
test_tlvs(void **state)
{
    (void)state;
    struct sv_proxy_header header;
    begin_v4(0x21);
    add("\x01\x00\x02h2\x04\x00\x00", 8); /* ALPN, and padding without a byte */
    end();
    assert_int_equal(read_all(&header), SV_PROXY_GOOD);
    static const char *const bad[] = {"\x01", "\x01\x00", "\x01\x00\x03h2"};
    static const size_t sizes[] = {1, 2, 5};
    for (size_t i = 0; i < 3; i++) {
        begin_v4(0x21);
        add(bad[i], sizes[i]);
        end();
        assert_int_equal(read_all(&header), SV_PROXY_BAD);
    }
    for (unsigned wrong = 0; wrong < 2; wrong++) { /* the checksum of the whole */
        begin_v4(0x21);
        add("\x03\x00\x04\x00\x00\x00\x00", 7);
        end();
        uint32_t crc = htonl(sv_crc32c(0, text.at, text.size) ^ wrong);
        memcpy(text.at + text.size - 4, &crc, 4);
        assert_int_equal(read_all(&header), wrong == 0 ? SV_PROXY_GOOD : SV_PROXY_BAD);
    }
}

static void
test_bad_headers(void **state)
{
    (void)state;
    struct sv_proxy_header header;
    static const uint8_t commands[] = {0x11, 0x31, 0x22, 0x2f, 0x01};
    for (size_t i = 0; i < sizeof(commands); i++) {
        begin_v4(commands[i]);
        end();
        assert_int_equal(read_all(&header), SV_PROXY_BAD);
    }
    static const uint8_t families[] = {0x12, 0x22, 0x32, 0x13, 0x41, 0x10, 0xff};
    for (size_t i = 0; i < sizeof(families); i++) {
        begin_v4(0x21);
        text.at[13] = families[i];
        end();
        assert_int_equal(read_all(&header), SV_PROXY_BAD);
    }
    begin_v4(0x21);
    text.size--;
    end();
    assert_int_equal(read_all(&header), SV_PROXY_BAD); /* too short for its addresses */
    begin_v4(0x21);
    text.at[14] = (uint8_t)((SV_PROXY_HEADER_SIZE_MAX - 15) >> 8);
    text.at[15] = (uint8_t)(SV_PROXY_HEADER_SIZE_MAX - 15);
    assert_int_equal(sv_proxy_header_read(text.at, 16, &header), SV_PROXY_BAD); /* by its size */
    text.at[15]--;
    assert_int_equal(sv_proxy_header_read(text.at, 16, &header), SV_PROXY_MORE);
    static const char version_1[] = "PROXY TCP4 192.0.2.7 10.0.0.1 12345 443\r\n";
    assert_int_equal(
        sv_proxy_header_read((const uint8_t *)version_1, 16, &header), SV_PROXY_BAD);
    assert_non_null(strstr(header.reason, "version 1"));
    assert_int_equal(
        sv_proxy_header_read((const uint8_t *)"GET / HTTP/1.1\r\n", 1, &header), SV_PROXY_BAD);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_without_an_address),
        cmocka_unit_test(test_tlvs),
        cmocka_unit_test(test_bad_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
