#include "clients/cli/scene_file.h"

#include "assets/folder.h"
#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/limits.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 1400

static const char *const suffixes[] = {".yaml", ".json"};
#define SUFFIX_COUNT 2

/* ---- files ---- */

/* Reads a whole file; the caller frees it.  NULL with a message. */
static char *
read_all(FILE *file, const char *name, size_t *size, enum cli_exit *result)
{
    char *text = malloc(WIRE_TEXT_SIZE_MAX + 1);
    if (text == NULL) {
        cli_complain("no memory");
        *result = CLI_COULD_NOT;
        return NULL;
    }
    *size = fread(text, 1, WIRE_TEXT_SIZE_MAX + 1, file);
    if (ferror(file)) {
        cli_complain("can not read %s: %s", name, strerror(errno));
        *result = CLI_COULD_NOT;
    } else if (*size > WIRE_TEXT_SIZE_MAX) {
        fprintf(stderr, "%s: is larger than 1 MiB, the most that a scene's text may be\n", name);
        *result = CLI_BAD;
    } else {
        return text;
    }
    free(text);
    return NULL;
}

static struct wire_scene *
read_scene(FILE *file, const char *name, enum cli_exit *result)
{
    size_t size;
    char *text = read_all(file, name, &size, result);
    if (text == NULL) {
        return NULL;
    }
    struct wire_text_error error;
    struct as_folder folder;
    bool beside = file != stdin && as_folder_open_of(&folder, name);
    const struct wire_mesh_tools tools = {.folder = beside ? &folder : NULL};
    struct wire_scene *scene = wire_scene_parse_with(text, size, &tools, &error);
    free(text);
    if (beside) {
        as_folder_close(&folder);
    }
    if (scene == NULL) {
        char line[WIRE_TEXT_ERROR_SIZE];
        fprintf(stderr, "%s\n", wire_text_error_print(&error, name, line, sizeof(line)));
        *result = error.defect.status == CN_MEMORY ? CLI_COULD_NOT : CLI_BAD;
    }
    return scene;
}

/* ---- folders ---- */

static int
count_folders(const char *folders[3])
{
    int count = 0;
    const char *own = getenv("CAIRN_SCENES");
    if (own != NULL && own[0] != '\0') {
        folders[count++] = own;
    }
    folders[count++] = CLI_SCENES_DIR;
    folders[count++] = CLI_SCENES_SOURCE_DIR;
    CN_ASSERT(count <= 3);
    return count;
}

/* Opens a bundled scene and fills its path; NULL if no folder has it. */
static FILE *
open_bundled(const char *name, char path[PATH_SIZE])
{
    const char *folders[3];
    int folder_count = count_folders(folders);
    if (strchr(name, '/') != NULL || name[0] == '.') {
        return NULL;
    }
    for (int i = 0; i < folder_count * SUFFIX_COUNT; i++) {
        snprintf(path, PATH_SIZE, "%s/%s%s", folders[i / SUFFIX_COUNT], name,
            suffixes[i % SUFFIX_COUNT]);
        FILE *file = fopen(path, "rb");
        if (file != NULL) {
            return file;
        }
    }
    return NULL;
}

static void
complain_of_name(const char *word)
{
    struct cli_scene_list list;
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, word);
    cli_scene_list_init(&list);
    for (int i = 0; i < list.count; i++) {
        cn_nearest_offer(&nearest, list.names[i]);
    }
    cli_complain("%s is neither a file nor a bundled scene%s (see cairn list scenes)",
        cn_quote(word).text, cn_nearest_hint(&nearest).text);
    cli_scene_list_finish(&list);
}

struct wire_scene *
cli_scene_read(const char *word, enum cli_exit *result)
{
    char path[PATH_SIZE];
    if (strcmp(word, "-") == 0) {
        return read_scene(stdin, "standard input", result);
    }
    const char *name = word;
    FILE *file = fopen(word, "rb");
    int file_error = errno;
    if (file == NULL && file_error == ENOENT) {
        name = path;
        file = open_bundled(word, path);
    }
    bool is_path = strpbrk(word, "./") != NULL;
    if (file == NULL && (file_error != ENOENT || is_path)) {
        cli_complain("can not open %s: %s", cn_quote(word).text, strerror(file_error));
        *result = CLI_COULD_NOT;
        return NULL;
    }
    if (file == NULL) {
        complain_of_name(word);
        *result = CLI_BAD;
        return NULL;
    }
    struct wire_scene *scene = read_scene(file, name, result);
    fclose(file);
    return scene;
}

/* ---- listing ---- */

static int
compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds a file's name without its suffix, if the suffix is that of a scene. */
static void
add_name(struct cli_scene_list *list, const char *file)
{
    const char *dot = strrchr(file, '.');
    bool is_scene = dot != NULL && dot != file &&
                    (strcmp(dot, suffixes[0]) == 0 || strcmp(dot, suffixes[1]) == 0);
    if (!is_scene) {
        return;
    }
    size_t size = (size_t)(dot - file);
    char **names = realloc(list->names, (size_t)(list->count + 1) * sizeof(*names));
    char *name = malloc(size + 1);
    if (names != NULL) {
        list->names = names;
    }
    if (names == NULL || name == NULL) {
        free(name);
        return;
    }
    memcpy(name, file, size);
    name[size] = '\0';
    list->names[list->count++] = name;
}

void
cli_scene_list_init(struct cli_scene_list *list)
{
    const char *folders[3];
    int folder_count = count_folders(folders);
    *list = (struct cli_scene_list){0};
    for (int i = 0; i < folder_count && list->count == 0; i++) {
        DIR *listing = opendir(folders[i]);
        if (listing == NULL) {
            continue;
        }
        snprintf(list->folder, sizeof(list->folder), "%s", folders[i]);
        for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
            add_name(list, entry->d_name);
        }
        closedir(listing);
    }
    if (list->count > 1) {
        qsort(list->names, (size_t)list->count, sizeof(list->names[0]), compare_words);
    }
}

void
cli_scene_list_finish(struct cli_scene_list *list)
{
    for (int i = 0; i < list->count; i++) {
        free(list->names[i]);
    }
    free(list->names);
    *list = (struct cli_scene_list){0};
}
