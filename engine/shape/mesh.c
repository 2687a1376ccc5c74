/*
 * mesh.c: a closed surface of triangles, which need not be convex.
 *
 * The core is the box around the mesh, which is enough where only bounds are needed.  Contacts use
 * the mesh itself (shape->mesh).
 */
#include "engine/shape/shape_kind.h"

#include "engine/base/assert.h"

static enum cn_status
check(const struct cn_shape_def *def, struct cn_defect *defect)
{
    if (def->mesh.mesh == NULL) {
        return cn_defect_set(defect, CN_REFERENCE, "mesh", "is no mesh of this world");
    }
    return CN_OK;
}

static struct cn_volume
volume(const struct cn_shape_def *def)
{
    CN_ASSERT(def->mesh.mesh != NULL && def->mesh.mesh->volume.volume > 0.0);
    return def->mesh.mesh->volume;
}

static bool
core(const struct cn_shape_def *def, struct cn_hull *hull, struct cn_shape *shape)
{
    const struct cn_mesh *mesh = def->mesh.mesh;
    CN_ASSERT(mesh != NULL);
    cn_hull_box(mesh->bounds.low, mesh->bounds.high, hull);
    shape->radius = 0.0;
    shape->width = mesh->thickness;
    return true;
}

static const struct cn_shape_spatial_ops spatial = {check, volume, core};

const struct cn_shape_ops cn_shape_ops_mesh = {.spatial = &spatial, .instead = "outline"};
