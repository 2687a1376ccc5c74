/*
 * folder.h: files of one folder, and of no other place.
 *
 * A name has parts that '/' separates.  A part consists of letters, digits, '_', '-', '.', ' ' and
 * '+', does not start with a dot, and is not a link.  The name must be that of a plain file.  So a
 * scene from a stranger cannot reach anything outside, even if others change the folder meanwhile.
 */
#ifndef ASSETS_FOLDER_H
#define ASSETS_FOLDER_H

#include "engine/base/defect.h"

#include <stdbool.h>
#include <stddef.h>

#define AS_NAME_SIZE_MAX 255 /* bytes of a file's name with its folders */

struct as_folder {
    int descriptor;
};

/* False if the folder does not exist. */
bool as_folder_open(struct as_folder *folder, const char *path);

/* Opens the folder that contains `file`. */
bool as_folder_open_of(struct as_folder *folder, const char *file);
void as_folder_close(struct as_folder *folder);

/* Reads a whole file and adds a NUL; the caller frees it.  A file above size_max is refused. */
CN_MUST_USE enum cn_status as_folder_read(const struct as_folder *folder, const char *name,
    size_t size_max, char **bytes, size_t *size, struct cn_defect *defect);

#endif
