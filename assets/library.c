#include "assets/library.h"

#include "engine/base/assert.h"
#include "engine/base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * A mesh's own hash is not secret, so a stranger could make a scene whose hash equals that of
 * another's mesh.  Therefore a second hash, which starts at a secret number, must agree as well.
 */
struct key {
    uint64_t open, secret;
};

struct entry {
    struct key key;
    struct cn_mesh *mesh;
    unsigned long asked; /* the counter's value when the mesh was last requested */
};

struct as_library {
    pthread_mutex_t lock;
    size_t size_max;
    uint64_t secret;
    struct as_library_count count;
    unsigned long clock;
    struct entry entry[AS_LIBRARY_MESHES_MAX];
};

struct as_library *
as_library_create(size_t size_max)
{
    struct as_library *library = calloc(1, sizeof(*library));
    if (library == NULL) {
        return NULL;
    }
    if (getrandom(&library->secret, sizeof(library->secret), 0) != sizeof(library->secret) ||
        pthread_mutex_init(&library->lock, NULL) != 0) {
        free(library);
        return NULL;
    }
    library->size_max = size_max;
    return library;
}

void
as_library_destroy(struct as_library *library)
{
    if (library == NULL) {
        return;
    }
    CN_ASSERT(library->count.meshes <= AS_LIBRARY_MESHES_MAX);
    for (int i = 0; i < library->count.meshes; i++) {
        cn_mesh_drop(library->entry[i].mesh);
    }
    pthread_mutex_destroy(&library->lock);
    free(library);
}

static struct key
key_of(const struct as_library *library, const struct cn_mesh_def *def)
{
    struct cn_hash hash = {library->secret};
    uint64_t open = cn_mesh_hash(def);
    cn_hash_u64(&hash, open);
    cn_hash_bytes(&hash, def->vertex, (size_t)def->vertex_count * sizeof(*def->vertex));
    cn_hash_bytes(&hash, def->triangle, (size_t)def->triangle_count * sizeof(*def->triangle));
    return (struct key){open, hash.state};
}

/* A new reference to an existing mesh; NULL: the library does not have it.  Under the lock. */
static struct cn_mesh *
find(struct as_library *library, struct key key)
{
    for (int i = 0; i < library->count.meshes; i++) {
        struct entry *entry = &library->entry[i];
        if (entry->key.open == key.open && entry->key.secret == key.secret) {
            entry->asked = ++library->clock;
            library->count.found++;
            return cn_mesh_keep(entry->mesh);
        }
    }
    return NULL;
}

/* Drops the least recently requested mesh.  Under the lock. */
static void
forget_oldest(struct as_library *library)
{
    CN_ASSERT(library->count.meshes > 0);
    int oldest = 0;
    for (int i = 1; i < library->count.meshes; i++) {
        oldest = library->entry[i].asked < library->entry[oldest].asked ? i : oldest;
    }
    struct entry *entry = &library->entry[oldest];
    CN_ASSERT(library->count.size >= entry->mesh->size);
    library->count.size -= entry->mesh->size;
    cn_mesh_drop(entry->mesh);
    *entry = library->entry[--library->count.meshes];
}

static void
keep(struct as_library *library, struct key key, struct cn_mesh *mesh)
{
    if (mesh->size > library->size_max) {
        return;
    }
    while (library->count.meshes == AS_LIBRARY_MESHES_MAX ||
           library->count.size + mesh->size > library->size_max) {
        forget_oldest(library);
    }
    library->count.size += mesh->size;
    CN_ASSERT(library->count.size <= library->size_max);
    library->entry[library->count.meshes++] =
        (struct entry){key, cn_mesh_keep(mesh), ++library->clock};
}

enum cn_status
as_library_make(struct as_library *library, const struct cn_mesh_def *def, struct cn_mesh **mesh,
    struct cn_defect *defect)
{
    struct key key = key_of(library, def);
    pthread_mutex_lock(&library->lock);
    struct cn_mesh *there = find(library, key);
    pthread_mutex_unlock(&library->lock);
    if (there != NULL) {
        *mesh = there;
        return CN_OK;
    }
    struct cn_mesh *made = NULL;
    CN_CHECK(cn_mesh_make(def, &made, defect));
    pthread_mutex_lock(&library->lock);
    library->count.made++;
    there = find(library, key);
    if (there == NULL) {
        keep(library, key, made);
        there = cn_mesh_keep(made);
    }
    pthread_mutex_unlock(&library->lock);
    cn_mesh_drop(made);
    *mesh = there;
    return CN_OK;
}

struct as_library_count
as_library_count(struct as_library *library)
{
    pthread_mutex_lock(&library->lock);
    struct as_library_count count = library->count;
    pthread_mutex_unlock(&library->lock);
    return count;
}
