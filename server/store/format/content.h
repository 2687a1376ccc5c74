/*
 * content.h: the hash under which the contents of a scene are stored.
 */
#ifndef SERVER_STORE_FORMAT_CONTENT_H
#define SERVER_STORE_FORMAT_CONTENT_H

#include "server/store/format/checkpoint.h"

/* The content hash of a scene. */
void sv_content_hash(unsigned char content[SV_CONTENT_SIZE], const void *bytes, size_t size);

#endif
