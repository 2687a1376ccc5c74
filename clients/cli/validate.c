/* validate.c: `cairn validate`. */
#include "clients/cli/scene_file.h"

static const char *
plural(int count)
{
    return count == 1 ? "" : "s";
}

enum cli_exit
cli_validate(const struct cli_call *call)
{
    enum cli_exit worst = CLI_DONE;
    for (int i = 0; i < call->operand_count; i++) {
        enum cli_exit result = CLI_DONE;
        struct wire_scene *scene = cli_scene_read(call->operands[i], &result);
        if (scene != NULL) {
            const struct cn_world_def *def = wire_scene_world_def(scene);
            printf("%s: good: %d bod%s, %d joint%s, %d spring%s, %d thruster%s\n",
                call->operands[i], def->body_count, def->body_count == 1 ? "y" : "ies",
                def->joint_count, plural(def->joint_count), def->spring_count,
                plural(def->spring_count), def->thruster_count, plural(def->thruster_count));
        }
        wire_scene_destroy(scene);
        worst = result > worst ? result : worst;
    }
    return worst;
}
