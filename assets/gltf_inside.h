/*
 * gltf_inside.h: shared by the files of the glTF reader only.
 *
 * jansson reads the text.  The names and values of the text are counted first.  So
 * AS_GLTF_VALUES_MAX limits the memory, however short a value is written.
 */
#ifndef ASSETS_GLTF_INSIDE_H
#define ASSETS_GLTF_INSIDE_H

#include "assets/surface.h"
#include "engine/math/mat33.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define AS_GLTF_VALUES_MAX (1 << 18) /* names and values of the text: limits its memory to 30 MB */
#define AS_GLTF_BUFFERS_MAX 64
#define AS_GLTF_DEPTH_MAX 64 /* levels of nodes */

struct visit;

struct gltf_buffer {
    char *memory;         /* freed with the reader; NULL: in the binary chunk, or not read yet */
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
    uint8_t *visited, *below; /* for each node: it was reached; it is a child of a node */
    struct visit *waiting;
    int waiting_count;
};

/* A node's frame, in the frame of the file. */
struct gltf_place {
    cn_mat33 linear;
    cn_vec3 at;
};

CN_MUST_USE enum cn_status gltf_parse(struct gltf *gltf);
void gltf_finish(struct gltf *gltf);

enum cn_status gltf_no_memory(struct gltf *gltf);

/* Converts a value to an index; -1 if it is not valid, and then no element has that index. */
int gltf_index(const json_t *value);

/* Reads a count or an offset; `absent` if the member is missing.  False: not a number of bytes. */
bool gltf_size(const json_t *object, const char *name, size_t absent, size_t *value);

/* The bytes of buffer i; the first call reads them. */
CN_MUST_USE enum cn_status gltf_buffer(struct gltf *gltf, int i, const uint8_t **bytes,
    size_t *size);

/* Adds the triangles of mesh i; `from` is the path of the node that uses it, for errors. */
CN_MUST_USE enum cn_status gltf_add_mesh(
    struct gltf *gltf, int i, const struct gltf_place *place, const char *from);

#endif
