/*
 * crc32c.h: the cyclic redundancy check with Castagnoli's polynomial, 0x1EDC6F41, reflected.
 *
 * This is the CRC of iSCSI (RFC 3720, appendix B.4): it starts with all ones and is inverted at the
 * end; for the nine bytes "123456789" it is 0xe3069283.  It detects every burst error of up to 32
 * bits.  Where the processor has an instruction for it, that is used; the table gives the same
 * result.
 */
#ifndef SERVER_STORE_FORMAT_CRC32C_H
#define SERVER_STORE_FORMAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues `crc` over these bytes; it is 0 at the beginning. */
uint32_t sv_crc32c(uint32_t crc, const void *bytes, size_t size);

/* The same by the table alone, for tests. */
uint32_t sv_crc32c_table(uint32_t crc, const void *bytes, size_t size);

#endif
