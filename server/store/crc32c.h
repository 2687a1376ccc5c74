/*
 * crc32c.h: the cyclic redundancy check with Castagnoli's polynomial, 0x1EDC6F41, reflected.
 *
 * The one of iSCSI (RFC 3720, appendix B.4): starts at all ones, is inverted at the end; of the
 * nine bytes "123456789" it is 0xe3069283.  It finds every burst of up to 32 bits.  Processors have
 * an instruction for it, which is taken when it is there; the table gives the same.
 */
#ifndef SERVER_STORE_CRC32C_H
#define SERVER_STORE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The check of what gave `crc` followed by these bytes; crc is 0 at the beginning. */
uint32_t sv_crc32c(uint32_t crc, const void *bytes, size_t size);

/* The same by the table alone, for tests. */
uint32_t sv_crc32c_table(uint32_t crc, const void *bytes, size_t size);

#endif
