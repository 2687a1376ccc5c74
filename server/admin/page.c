#include "server/admin/page.h"

#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "server/base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define FILE_PATH_SIZE 4096
#define DEPTH_MAX 8

static const char not_built[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Cairn</title>\n"
    "<h1>Cairn is running</h1>\n"
    "<p>Its web page has not been built. <code>clients/typescript/build</code> makes it (it needs "
    "Node.js), and <code>cairnd --page DIR</code> serves it from another folder.</p>\n"
    "<p>The worlds are at <a href=\"/v1/worlds\">/v1/worlds</a>, their state streams from "
    "<code>/v1/ws</code>.</p>\n";

const char *
sv_page_type(const char *path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json; charset=utf-8"},
        {".map", "application/json; charset=utf-8"},
        {".webmanifest", "application/manifest+json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".wasm", "application/wasm"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
    };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t ending = strlen(types[i].ending);
        if (length > ending && strcmp(path + length - ending, types[i].ending) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}

static bool
add_file(struct sv_page *page, const char *path, const char *bytes, size_t size)
{
    struct sv_page_file *files =
        realloc(page->files, (size_t)(page->count + 1) * sizeof(*files));
    if (files == NULL) {
        return false;
    }
    page->files = files;
    CN_ASSERT(page->count >= 0 && strlen(path) < sizeof(files->path));
    struct sv_page_file *file = &files[page->count];
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, bytes, size);
    snprintf(file->path, sizeof(file->path), "%s", path);
    snprintf(file->etag, sizeof(file->etag), "\"%016" PRIx64 "\"", hash.state);
    file->type = sv_page_type(path);
    file->bytes = sv_buffer_create(size);
    if (file->bytes == NULL) {
        return false;
    }
    memcpy(file->bytes->bytes, bytes, size);
    page->count++;
    return true;
}

struct loader {
    struct sv_page *page;
    const struct sv_disk *disk;
    struct sv_log *log;
    size_t size; /* of all files read so far */
};

/* Logs why a file or folder of the page is not served; returns the result. */
static enum sv_disk_result
refuse_file(struct sv_log *log, const char *path, enum sv_disk_result result)
{
    if (result == SV_DISK_MEMORY) {
        errno = ENOMEM;
        sv_log(log, SV_LOG_ERROR, "no memory to hold the page's %s: %s", path,
            sv_disk_text(result));
    } else {
        sv_log(log, SV_LOG_ERROR, "page: %s: %s", path,
            result == SV_DISK_SIZE ? "the page is larger than 512 files or 64 MiB"
                                   : sv_disk_text(result));
    }
    return result;
}

static enum sv_disk_result
load_file(struct loader *loader, const char *file_path, const char *path)
{
    char *bytes;
    size_t size;
    struct sv_page *page = loader->page;
    enum sv_disk_result result = page->count < SV_PAGE_FILES_MAX
        ? loader->disk->read(loader->disk->context, file_path,
              SV_PAGE_SIZE_MAX - loader->size, &bytes, &size)
        : SV_DISK_SIZE;
    if (result != SV_DISK_OK) {
        return refuse_file(loader->log, file_path, result);
    }
    loader->size += size;
    CN_ASSERT(loader->size <= SV_PAGE_SIZE_MAX);
    bool is_added = add_file(page, path, bytes, size);
    free(bytes);
    return is_added ? SV_DISK_OK : refuse_file(loader->log, file_path, SV_DISK_MEMORY);
}

static enum sv_disk_result
load_folder(struct loader *loader, const char *folder, const char *prefix, int depth)
{
    CN_ASSERT(depth <= DEPTH_MAX);
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        return refuse_file(loader->log, folder, sv_disk_result_of(errno));
    }
    enum sv_disk_result result = SV_DISK_OK;
    for (struct dirent *entry = readdir(directory); entry != NULL && result == SV_DISK_OK;
         entry = readdir(directory)) {
        char file_path[FILE_PATH_SIZE], path[SV_PATH_SIZE];
        struct stat status;
        if (entry->d_name[0] == '.') {
            continue;
        }
        int file_length =
            snprintf(file_path, sizeof(file_path), "%s/%s", folder, entry->d_name);
        int length = snprintf(path, sizeof(path), "%s/%s", prefix, entry->d_name);
        if ((size_t)file_length >= sizeof(file_path) || (size_t)length >= sizeof(path) ||
            lstat(file_path, &status) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX) {
            result = load_folder(loader, file_path, path, depth + 1);
        } else if (S_ISREG(status.st_mode)) {
            result = load_file(loader, file_path, path);
        }
    }
    closedir(directory);
    return result;
}

enum sv_disk_result
sv_page_load(
    struct sv_page *page, const struct sv_disk *disk, struct sv_log *log, const char *folder)
{
    memset(page, 0, sizeof(*page));
    struct loader loader = {.page = page, .disk = disk, .log = log};
    enum sv_disk_result result =
        folder != NULL ? load_folder(&loader, folder, "", 0) : SV_DISK_OK;
    if (result != SV_DISK_OK) {
        sv_page_finish(page);
        return result;
    }
    if (sv_page_find(page, "/index.html") != NULL) {
        return SV_DISK_OK;
    }
    sv_log(log, SV_LOG_WARN, "the web page is not built: a plain one is served in its place");
    return add_file(page, "/index.html", not_built, sizeof(not_built) - 1)
        ? SV_DISK_OK
        : refuse_file(log, "/index.html", SV_DISK_MEMORY);
}

void
sv_page_finish(struct sv_page *page)
{
    for (int i = 0; i < page->count; i++) {
        sv_buffer_unref(page->files[i].bytes);
    }
    free(page->files);
    page->files = NULL;
    page->count = 0;
}

const struct sv_page_file *
sv_page_find(const struct sv_page *page, const char *path)
{
    const char *wanted = strcmp(path, "/") == 0 ? "/index.html" : path;
    for (int i = 0; i < page->count; i++) {
        if (strcmp(page->files[i].path, wanted) == 0) {
            return &page->files[i];
        }
    }
    return NULL;
}

const struct sv_page_file *
sv_page_packed(const struct sv_page *page, const struct sv_page_file *file)
{
    char path[SV_PATH_SIZE];
    int length = snprintf(path, sizeof(path), "%s.gz", file->path);
    return (size_t)length < sizeof(path) ? sv_page_find(page, path) : NULL;
}

/* Whether the text after a name, as in "gzip;q=0.5", is a weight of zero. */
static bool
weighs_nothing(const char *rest)
{
    rest += strspn(rest, " \t");
    if (*rest != ';') {
        return false;
    }
    rest += 1 + strspn(rest + 1, " \t");
    return strncasecmp(rest, "q=0", 3) == 0 && strcspn(rest + 3, "123456789") >=
        strcspn(rest + 3, ",");
}

bool
sv_page_takes_packed(const char *accept_encoding)
{
    static const char name[] = "gzip";
    const char *at = accept_encoding != NULL ? accept_encoding : "";
    while (*at != '\0') {
        at += strspn(at, " \t,");
        size_t length = strcspn(at, " \t,;");
        if (length == sizeof(name) - 1 && strncasecmp(at, name, length) == 0) {
            return !weighs_nothing(at + length);
        }
        at += strcspn(at, ",");
    }
    return false;
}
