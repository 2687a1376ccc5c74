/* passage.c: the model's table of shapes near one-way shapes. */
#include "engine/base/assert.h"
#include "engine/model/model.h"

const struct cn_passage *
cn_model_passage(const struct cn_model *model, int shape_a, int shape_b)
{
    int a = shape_a < shape_b ? shape_a : shape_b, b = shape_a < shape_b ? shape_b : shape_a;
    int first = 0, end = model->passage_count;
    CN_ASSERT(a != b && end <= model->passage_max);
    while (first < end) {
        int middle = first + (end - first) / 2;
        const struct cn_passage *passage = &model->passage[middle];
        if (passage->a < a || (passage->a == a && passage->b < b)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    const struct cn_passage *found = &model->passage[first];
    return first < model->passage_count && found->a == a && found->b == b ? found : NULL;
}

void
cn_model_drop_passages(struct cn_model *model, int body)
{
    int kept = 0;
    for (int i = 0; i < model->passage_count; i++) {
        struct cn_passage passage = model->passage[i];
        if (model->shape[passage.a].body != body && model->shape[passage.b].body != body) {
            model->passage[kept++] = passage;
        }
    }
    model->passage_count = kept;
}
