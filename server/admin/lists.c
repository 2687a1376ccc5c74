#include "server/admin/lists.h"

#include "engine/solve/table/solver_table.h"
#include "engine/base/assert.h"
#include "proto/codec_json.h"
#include "server/base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 32

/* ---- arguments ---- */

bool
sv_refuse_argument(struct wire_error *error, const char *name, const char *text)
{
    wire_error_set(error, "FIELD", name, "%s", text);
    return false;
}

bool
sv_read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *number <= most;
}

/* ---- worlds ---- */

struct page {
    uint64_t after; /* the serial of the last world of the page before */
    uint64_t limit;
};

static bool
read_page(const struct sv_call *call, struct page *out, struct wire_error *error)
{
    char name[SV_HEADER_SIZE], value[SV_HEADER_SIZE];
    const char *query = call->request->query != NULL ? call->request->query : "";
    *out = (struct page){.limit = UINT64_MAX};
    while (sv_http_argument(&query, name, value)) {
        if (strcmp(name, "after") == 0) {
            if (!sv_read_number(value, UINT32_MAX, &out->after)) {
                return sv_refuse_argument(error, name, "is not the `next` of a page");
            }
        } else if (strcmp(name, "limit") != 0) {
            return sv_refuse_argument(
                error, "", "has another argument than limit and after");
        } else if (!sv_read_number(value, SV_WORLD_PAGE_MAX, &out->limit) || out->limit == 0) {
            return sv_refuse_argument(error, name, "is not a number from 1 to 500");
        }
    }
    return *query == '\0' ||
        sv_refuse_argument(error, "", "has an argument that is empty or too long");
}

bool
sv_list_worlds(struct sv_call *call)
{
    const struct sv_host *host = call->admin->host;
    struct wire_error error;
    struct page page;
    if (!read_page(call, &page, &error)) {
        return sv_call_refuse(call, &error);
    }
    const struct wire_status **statuses =
        calloc((size_t)host->world_count + 1, sizeof(const struct wire_status *));
    char next[24] = "";
    uint64_t last = page.after;
    size_t count = 0;
    for (int i = 0; statuses != NULL && i < host->world_count && next[0] == '\0'; i++) {
        const struct sv_host_world *world = host->worlds[i];
        CN_ASSERT(i == 0 || world->serial > host->worlds[i - 1]->serial);
        if (world->serial <= page.after || !sv_host_is_listed(world) ||
            !sv_grant_covers_world(&call->grant, world)) {
            continue;
        }
        if (count == page.limit) {
            snprintf(next, sizeof(next), "%llu", (unsigned long long)last);
        } else {
            statuses[count++] = &world->status;
            last = world->serial;
        }
    }
    sv_call_respond(call, statuses != NULL ? wire_worlds_print(statuses, count, next) : NULL);
    free(statuses);
    return true;
}

/* ---- what the engine has ---- */

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
