/*
 * files.c: meshes from files, which a module without files refuses, and their library.
 *
 * A Scene that the daemon or `cairn validate` has read contains its meshes, so none is missing.
 */
#include "assets/folder.h"
#include "assets/gltf.h"
#include "assets/library.h"

#define REFUSAL "can not be read here: this build has no files"

enum cn_status
as_folder_read(const struct as_folder *folder, const char *name, size_t size_max, char **bytes,
    size_t *size, struct cn_defect *defect)
{
    (void)folder;
    (void)name;
    (void)size_max;
    *bytes = NULL;
    *size = 0;
    return cn_defect_set(defect, CN_SYNTAX, "", REFUSAL);
}

enum cn_status
as_gltf_read(const void *bytes, size_t size, const struct as_folder *folder,
    struct as_surface *surface, struct cn_defect *defect)
{
    (void)bytes;
    (void)size;
    (void)folder;
    as_surface_init(surface);
    return cn_defect_set(defect, CN_SYNTAX, "", REFUSAL);
}

/* There is no library: each scene makes its own meshes. */
enum cn_status
as_library_make(struct as_library *library, const struct cn_mesh_def *def, struct cn_mesh **mesh,
    struct cn_defect *defect)
{
    (void)library;
    return cn_mesh_make(def, mesh, defect);
}
