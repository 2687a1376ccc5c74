#include "engine/base/assert.h"
#include "engine/shape/shape_kind.h"

#include <stddef.h>

#define X(name, NAME, text) &cn_shape_ops_##name,
static const struct cn_shape_ops *const shape_ops[CN_SHAPE_KIND_COUNT] = {CN_SHAPE_TABLE(X)};
#undef X

const struct cn_shape_ops *
cn_shape_ops_of(enum cn_shape_kind kind)
{
    CN_ASSERT((unsigned)kind < CN_SHAPE_KIND_COUNT);
    CN_ASSERT(shape_ops[kind]->planar != NULL || shape_ops[kind]->spatial != NULL);
    return shape_ops[kind];
}

#define X(name, NAME, text) #name,
static const char *const shape_names[CN_SHAPE_KIND_COUNT] = {CN_SHAPE_TABLE(X)};
#undef X

#define X(name, NAME, text) text,
static const char *const shape_texts[CN_SHAPE_KIND_COUNT] = {CN_SHAPE_TABLE(X)};
#undef X

const char *
cn_shape_kind_name(enum cn_shape_kind kind)
{
    CN_ASSERT((unsigned)kind < CN_SHAPE_KIND_COUNT);
    return shape_names[kind];
}

const char *
cn_shape_kind_text(enum cn_shape_kind kind)
{
    CN_ASSERT((unsigned)kind < CN_SHAPE_KIND_COUNT);
    return shape_texts[kind];
}
