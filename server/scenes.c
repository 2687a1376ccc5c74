#include "server/scenes.h"

#include "assets/folder.h"
#include "engine/base/name.h"
#include "server/base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096

bool
sv_folder_exists(const char *path)
{
    struct stat status;
    return path != NULL && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The folder of scenes: CAIRN_SCENES, else that of `make install`, else that of the sources. */
static const char *
find_folder(void)
{
    const char *const folders[] = {getenv("CAIRN_SCENES"), SV_SCENES_DIR, SV_SCENES_SOURCE_DIR};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (sv_folder_exists(folders[i])) {
            return folders[i];
        }
    }
    return NULL;
}

static bool
bundle_scene(
    struct sv_host *host, struct sv_log *log, const char *path, struct wire_scene *scene_take)
{
    bool is_full = host->bundled_count == SV_BUNDLED_MAX;
    struct cn_quote name = cn_quote(wire_scene_name(scene_take));
    struct sv_scene *shared = sv_scene_create(scene_take);
    if (shared == NULL) {
        sv_log(log, SV_LOG_ERROR, "%s: no memory for a scene", path);
    } else if (sv_host_bundle(host, shared)) {
        return true;
    } else if (is_full) {
        sv_log(log, SV_LOG_ERROR, "%s: %d scenes are loaded already", path, SV_BUNDLED_MAX);
    } else {
        sv_log(log, SV_LOG_ERROR, "%s: name: is %s, as another scene's is", path, name.text);
    }
    return false;
}

static bool
load_scene(
    struct sv_host *host, const struct sv_disk *disk, struct sv_log *log, const char *path)
{
    char *text;
    size_t size;
    struct wire_text_error wrong;
    switch (disk->read(disk->context, path, SV_BODY_SIZE_MAX, &text, &size)) {
    case SV_DISK_OK:
        break;
    case SV_DISK_SIZE:
        sv_log(log, SV_LOG_ERROR, "%s: larger than %d bytes", path, SV_BODY_SIZE_MAX);
        return false;
    default:
        sv_log(log, SV_LOG_ERROR, "%s: %s", path, strerror(errno));
        return false;
    }
    struct as_folder folder;
    bool beside = as_folder_open_of(&folder, path);
    const struct wire_mesh_tools tools = {
        .folder = beside ? &folder : NULL, .library = host->meshes};
    struct wire_scene *scene = wire_scene_parse_with(text, size, &tools, &wrong);
    free(text);
    if (beside) {
        as_folder_close(&folder);
    }
    if (scene == NULL) {
        char line[WIRE_TEXT_ERROR_SIZE];
        sv_log(log, SV_LOG_ERROR, "%s", wire_text_error_print(&wrong, path, line, sizeof(line)));
        return false;
    }
    return bundle_scene(host, log, path, scene);
}

static int
is_scene_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".json") == 0);
}

/* Compares by strcmp and not by the locale, so that the order is the same everywhere. */
static int
compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void
load_bundled(struct sv_host *host, const struct sv_disk *disk, struct sv_log *log)
{
    char path[PATH_SIZE];
    const char *folder = find_folder();
    struct dirent **entries;
    int count =
        folder != NULL ? scandir(folder, &entries, is_scene_file, compare_names) : -1;
    if (count < 0) {
        sv_log(log, SV_LOG_WARN, "the bundled scenes are not installed; see --scene");
        return;
    }
    for (int i = 0; i < count; i++) {
        int used = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if ((size_t)used < sizeof(path)) {
            load_scene(host, disk, log, path);
        }
        free(entries[i]);
    }
    free(entries);
}

bool
sv_scenes_load(struct sv_host *host, const struct sv_config *config, const struct sv_disk *disk,
    struct sv_log *log)
{
    if (config->scene.count == 0) {
        load_bundled(host, disk, log);
        return true;
    }
    for (int i = 0; i < config->scene.count; i++) {
        if (!load_scene(host, disk, log, config->scene.values[i])) {
            return false;
        }
    }
    return true;
}
