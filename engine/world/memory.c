/*
 * memory.c: the memory limits of a world, and their effect on the number of contacts.
 *
 * There are two limits.  `memory_max` of the definition (memoryMib of a scene) is part of the
 * world, like gravity.  It decides how many contacts there is room for (the ceiling).  Beyond the
 * ceiling the last ones in order are left out, with an event, and the bits are the same wherever
 * the world runs.  The program that runs the world lends the account.  Another run may lend another
 * account, because it changes no bit: when it is spent, the tick waits.
 *
 * Both are checked before a world is made or gets another method.  The memory for its contacts
 * follows from the layout of the scratch (room_for), before anything is allocated.  The first limit
 * refuses with CN_LIMIT on every machine.  The second refuses with CN_MEMORY, like an empty heap.
 */
#include "engine/world/world_inside.h"

#include "engine/base/limits.h"

#include <stdint.h>

#define MIB ((size_t)1 << 20)

/*
 * A change of method needs this much more room than the present contacts, because contacts come and
 * go.
 */
#define CONTACTS_SPARE 4 /* a part of them */
#define CONTACTS_LEAST 16

/* Contacts for each remaining body that a world keeps room for when bodies were removed. */
#define CONTACTS_PER_BODY 6

/* Contacts that each moving shape will certainly have in a heap. */
#define CONTACTS_PER_SHAPE_PLANAR 2
#define CONTACTS_PER_SHAPE_SPATIAL 4

static size_t
memory_max(const struct cn_world *world)
{
    return world->memory_max > 0 ? world->memory_max : CN_WORLD_MEMORY;
}

/*
 * The memory for contact_max contacts, with the present bodies only: slots laid out in advance must
 * not affect any result.
 */
static size_t
room_for(const struct cn_world *world, int contact_max)
{
    struct cn_world measured = *world;
    struct cn_model *model = &measured.model;
    model->body_max = model->body_count;
    model->shape_max = model->shape_count;
    model->joint_max = model->joint_count;
    model->joint_live = model->joint_count;
    model->contact_max = contact_max;
    return cn_world_room_size(&measured);
}

/* The number of contacts that fit into `size` bytes, up to CN_CONTACTS_MAX. */
static int
contacts_within(const struct cn_world *world, size_t size)
{
    int low = 0, high = CN_CONTACTS_MAX;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (room_for(world, middle) <= size) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The number of contacts that the world has, or will certainly have, under any method. */
static int
contacts_wanted(const struct cn_world *world)
{
    const struct cn_model *model = &world->model;
    int count = model->warm_count;
    if (world->production != NULL) {
        count = cn_view_count_production(world);
    }
    int per_shape = model->settings.dimension == CN_PLANAR ? CONTACTS_PER_SHAPE_PLANAR
                                                           : CONTACTS_PER_SHAPE_SPATIAL;
    int64_t sure = 0;
    for (int i = 0; i < model->body_count && world->model.clock.tick == 0; i++) {
        bool moves = model->body[i].mass_inverse > 0.0 && !model->body[i].absent;
        sure += moves ? (int64_t)per_shape * model->body[i].shape_count : 0;
    }
    sure = sure < CN_CONTACTS_MAX ? sure : CN_CONTACTS_MAX;
    count = count > (int)sure ? count : (int)sure;
    int wanted = count + count / CONTACTS_SPARE + CONTACTS_LEAST;
    return wanted < CN_CONTACTS_MAX ? wanted : CN_CONTACTS_MAX;
}

void
cn_world_set_ceiling(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    struct cn_ceiling_key key = {.solver = world->solver, .stepper = world->stepper,
        .body_count = model->body_count, .shape_count = model->shape_count,
        .joint_count = model->joint_count};
    const struct cn_ceiling_key *last = &world->ceiling_key;
    bool is_same = key.solver == last->solver && key.stepper == last->stepper &&
                   key.body_count == last->body_count && key.shape_count == last->shape_count &&
                   key.joint_count == last->joint_count;
    if (is_same) {
        return;
    }
    world->ceiling_key = key;
    model->contact_ceiling = world->solver->kind == CN_SOLVER_BODIES
                                 ? CN_CONTACTS_MAX
                                 : contacts_within(world, memory_max(world));
}

/* The bytes that the account will have left once the world has freed its present room. */
static size_t
left_of(const struct cn_world *world)
{
    size_t left = cn_account_left(&world->account);
    return left > (size_t)-1 - world->room_size ? left : left + world->room_size;
}

enum cn_status
cn_world_check_method(const struct cn_world *world, const struct cn_stepper *stepper,
    const struct cn_solver *solver, const char *path, struct cn_defect *defect)
{
    if (solver->kind == CN_SOLVER_BODIES) {
        return CN_OK;
    }
    struct cn_world tried = *world;
    tried.stepper = stepper;
    tried.solver = solver;
    int wanted = contacts_wanted(world);
    size_t needed = room_for(&tried, wanted), max = memory_max(world), left = left_of(world);
    size_t allowed = max < left ? max : left;
    if (needed <= allowed) {
        return CN_OK;
    }
    return cn_defect_set(defect, max <= left ? CN_LIMIT : CN_MEMORY, path,
        "is \"%s\", which with the stepper %s needs %zu MiB for this world's %d contacts; %s %zu "
        "MiB, enough for %d contacts",
        solver->name, stepper->name, (needed + MIB - 1) / MIB, wanted,
        max <= left ? "a world may have (memoryMib)" : "the memory of worlds has left",
        allowed / MIB, contacts_within(&tried, allowed));
}

bool
cn_world_take_memory(struct cn_world *world, size_t from, size_t to)
{
    if (to > from) {
        return cn_account_take(&world->account, to - from);
    }
    cn_account_give(&world->account, from - to);
    return true;
}

enum cn_status
cn_world_use_account(struct cn_world *world, size_t size_max, struct cn_account *whole,
    struct cn_defect *defect)
{
    struct cn_account account = {.max = size_max > 0 ? size_max : SIZE_MAX, .whole = whole};
    size_t size = cn_world_count(world).size;
    if (!cn_account_take(&account, size)) {
        size_t left = cn_account_left(&account);
        return cn_defect_set(defect, CN_MEMORY, "",
            "takes %zu MiB of memory; %s %zu MiB", (size + MIB - 1) / MIB,
            left == size_max ? "a world may have" : "the memory of worlds has left", left / MIB);
    }
    cn_account_give(&world->account, world->account.used);
    world->account = account;
    return CN_OK;
}

void
cn_world_shrink(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int present = cn_world_present_count(world);
    if (world->production != NULL || world->room_size < CN_ROOM_SHRINKS_FROM ||
        present >= world->room_body_count / 2) {
        return;
    }
    int least = CONTACTS_LEAST + CONTACTS_PER_BODY * present;
    least = model->warm_count > least ? model->warm_count : least;
    least = model->impulse_count > least ? model->impulse_count : least;
    if (least < model->contact_max) {
        (void)!cn_world_grow(world, least); /* without memory it keeps its size */
    }
    world->room_body_count = present;
}
