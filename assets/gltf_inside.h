/*
 * gltf_inside.h: shared by the files of the glTF reader only.
 *
 * jansson reads the text.  The names and values of the text are counted first.  So
 * AS_GLTF_VALUES_MAX limits the memory, however short a value is written.
 */
#ifndef ASSETS_GLTF_INSIDE_H
#define ASSETS_GLTF_INSIDE_H

#include "assets/gltf.h"
#include "engine/math/mat33.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct visit;

struct gltf_buffer {
    char *memory;         /* freed with the reader; NULL: of the binary chunk, or not read yet */
    const uint8_t *bytes;
    size_t size;
};

struct gltf {
    const char *text;
    size_t text_size;
    const uint8_t *binary; /* NULL: none */
    size_t binary_size;
    const struct as_folder *folder;
    struct as_surface *surface;
    struct cn_defect *defect;
    json_t *root;
    struct gltf_buffer buffer[AS_GLTF_BUFFERS_MAX];
    size_t node_count;
    uint8_t *visited, *below; /* of each node: reached; a child of some node */
    struct visit *waiting;
    int waiting_count;
};

/* A node's frame in the file's. */
struct gltf_place {
    cn_mat33 linear;
    cn_vec3 at;
};

CN_MUST_USE enum cn_status gltf_parse(struct gltf *gltf);
void gltf_finish(struct gltf *gltf);

enum cn_status gltf_no_memory(struct gltf *gltf);

/* An index, or -1 for what is none: then nothing is found at it. */
int gltf_index(const json_t *value);

/* A count or an offset, `absent` when it is not there; false: it is no number of bytes. */
bool gltf_size(const json_t *object, const char *name, size_t absent, size_t *value);

/* The bytes of buffer i, read when first asked for. */
CN_MUST_USE enum cn_status gltf_buffer(struct gltf *gltf, int i, const uint8_t **bytes,
    size_t *size);

/* Adds the triangles of mesh i; `from` names who asks for it. */
CN_MUST_USE enum cn_status gltf_add_mesh(
    struct gltf *gltf, int i, const struct gltf_place *place, const char *from);

#endif
