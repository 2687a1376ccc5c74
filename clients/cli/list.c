/* list.c: `cairn list`: every table that people choose from. */
#include "clients/cli/scene_file.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "engine/cairn.h"
#include "engine/solve/table/solver_table.h"

#include "cairn/v1/scene.pb-c.h"

#include <string.h>

#define COLUMN 24

static void
print_row(const char *name, const char *text)
{
    printf("%-*s %s\n", COLUMN - 1, name, text);
}

static void
list_solvers(void)
{
    for (int i = 0; i < cn_solver_count; i++) {
        print_row(cn_solvers[i]->name, cn_solvers[i]->text);
    }
}

static void
list_steppers(void)
{
    for (int i = 0; i < cn_stepper_count; i++) {
        print_row(cn_steppers[i]->name, cn_steppers[i]->text);
    }
}

static void
list_shapes(void)
{
    for (int i = 0; i < CN_SHAPE_KIND_COUNT; i++) {
        enum cn_shape_kind kind = (enum cn_shape_kind)i;
        print_row(cn_shape_kind_name(kind), cn_shape_kind_text(kind));
    }
}

static void
list_joints(void)
{
#define X(name, NAME, text) print_row(#name, text);
    CN_JOINT_TABLE(X)
#undef X
}

static void
list_events(void)
{
    for (int i = 0; i < CN_EVENT_KIND_COUNT; i++) {
        enum cn_event_kind kind = (enum cn_event_kind)i;
        print_row(cn_event_name(kind), cn_event_text(kind));
    }
}

static void
list_commands(void)
{
    for (int i = 0; i < CN_COMMAND_KIND_COUNT; i++) {
        enum cn_command_kind kind = (enum cn_command_kind)i;
        print_row(cn_command_name(kind), cn_command_text(kind));
    }
}

static void
list_scenes(void)
{
    struct cli_scene_list list;
    cli_scene_list_init(&list);
    if (list.count == 0) {
        fputs("cairn: there is no folder of scenes; CAIRN_SCENES may name one\n", stderr);
    }
    for (int i = 0; i < list.count; i++) {
        enum cli_exit result;
        struct wire_scene *scene = cli_scene_read(list.names[i], &result);
        if (scene != NULL) {
            print_row(list.names[i], wire_scene_message(scene)->title);
        }
        wire_scene_destroy(scene);
    }
    cli_scene_list_finish(&list);
}

static const struct {
    const char *name;
    void (*list)(void);
} lists[] = {
    {"solvers", list_solvers},
    {"steppers", list_steppers},
    {"shapes", list_shapes},
    {"joints", list_joints},
    {"scenes", list_scenes},
    {"events", list_events},
    {"commands", list_commands},
};

enum cli_exit
cli_list(const struct cli_call *call)
{
    char known[128] = "";
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, call->operands[0]);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (strcmp(lists[i].name, call->operands[0]) == 0) {
            lists[i].list();
            return CLI_DONE;
        }
        size_t size = strlen(known);
        CN_ASSERT(size + strlen(lists[i].name) + 2 < sizeof(known)); /* the table fits */
        snprintf(known + size, sizeof(known) - size, "%s%s", i > 0 ? ", " : "", lists[i].name);
        cn_nearest_offer(&nearest, lists[i].name);
    }
    cli_complain("there is no list of %s; there is one of %s%s", cn_quote(call->operands[0]).text,
        known, cn_nearest_hint(&nearest).text);
    return CLI_BAD;
}
