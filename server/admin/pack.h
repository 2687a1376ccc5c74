/*
 * pack.h: packs answers by gzip, for clients that accept it.
 *
 * Only JSON that answers a GET is packed, of SV_PACKED_SIZE_MIN to SV_PACKED_SIZE_MAX bytes.  Files
 * of the page are packed when the page is built (page.h).
 */
#ifndef SERVER_ADMIN_PACK_H
#define SERVER_ADMIN_PACK_H

#include "server/net/http.h"

/*
 * Packs the body of a filled response if the request accepts it and it becomes smaller.  Without
 * memory the response stays as it is.
 */
void sv_pack_response(
    const struct sv_http_request *request, struct sv_http_response *response);

#endif
