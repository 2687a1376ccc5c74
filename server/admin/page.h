/*
 * page.h: the web page, as a map from paths to bytes.
 *
 * It is read once, at start: a request can only name a file in the map, so no path escapes.
 * Symbolic links are not followed.  A file with another one's name and ".gz" is that one packed by
 * gzip, and is sent in its place to clients that accept gzip.
 */
#ifndef SERVER_ADMIN_PAGE_H
#define SERVER_ADMIN_PAGE_H

#include "server/base/disk.h"
#include "server/base/log.h"
#include "server/net/http.h"

struct sv_page_file {
    char path[SV_PATH_SIZE]; /* "/assets/app.js" */
    const char *type;
    char etag[32];
    struct sv_buffer *bytes;
};

struct sv_page {
    struct sv_page_file *files;
    int count;
};

/*
 * Reads a folder.  If it cannot be read or is too large, the reason is logged and returned, because
 * missing memory or too few files are not the page's fault.  If the folder is NULL or has no
 * index.html, the page is one file, which says that it is not built.
 */
CN_MUST_USE enum sv_disk_result sv_page_load(
    struct sv_page *page, const struct sv_disk *disk, struct sv_log *log, const char *folder);
void sv_page_finish(struct sv_page *page);

/* NULL if the page does not have the file; "/" is "/index.html". */
const struct sv_page_file *sv_page_find(const struct sv_page *page, const char *path);

/* The compressed form of the file; NULL if the page does not have it. */
const struct sv_page_file *sv_page_packed(
    const struct sv_page *page, const struct sv_page_file *file);

/* Whether an Accept-Encoding header accepts gzip, with a weight above 0 (RFC 9110); NULL: no. */
bool sv_page_takes_packed(const char *accept_encoding);

/* The content type for a file's name. */
const char *sv_page_type(const char *path);

#endif
