#include "server/admin/lists.h"

#include "engine/solve/table/solver_table.h"
#include "proto/codec_json.h"

#define ITEMS_MAX 32

bool
sv_list_solvers(struct sv_call *call)
{
    struct wire_item items[ITEMS_MAX];
    const char *fits[ITEMS_MAX][ITEMS_MAX];
    size_t count = 0;
    for (; count < (size_t)cn_solver_count && count < ITEMS_MAX; count++) {
        const struct cn_solver *solver = cn_solvers[count];
        items[count] = (struct wire_item){solver->name, solver->text, fits[count], 0};
        for (int k = 0; k < cn_stepper_count && k < ITEMS_MAX; k++) {
            if (cn_stepper_fits(cn_steppers[k], solver)) {
                fits[count][items[count].fit_count++] = cn_steppers[k]->name;
            }
        }
    }
    return sv_call_respond(call, wire_items_print(items, count));
}

bool
sv_list_steppers(struct sv_call *call)
{
    struct wire_item items[ITEMS_MAX];
    const char *fits[ITEMS_MAX][ITEMS_MAX];
    size_t count = 0;
    for (; count < (size_t)cn_stepper_count && count < ITEMS_MAX; count++) {
        const struct cn_stepper *stepper = cn_steppers[count];
        items[count] = (struct wire_item){stepper->name, stepper->text, fits[count], 0};
        for (int k = 0; k < cn_solver_count && k < ITEMS_MAX; k++) {
            if (cn_stepper_fits(stepper, cn_solvers[k])) {
                fits[count][items[count].fit_count++] = cn_solvers[k]->name;
            }
        }
    }
    return sv_call_respond(call, wire_items_print(items, count));
}

bool
sv_list_shapes(struct sv_call *call)
{
    struct wire_item items[CN_SHAPE_KIND_COUNT];
    for (int i = 0; i < CN_SHAPE_KIND_COUNT; i++) {
        items[i] = (struct wire_item){cn_shape_kind_name((enum cn_shape_kind)i),
            cn_shape_kind_text((enum cn_shape_kind)i), NULL, 0};
    }
    return sv_call_respond(call, wire_items_print(items, CN_SHAPE_KIND_COUNT));
}
