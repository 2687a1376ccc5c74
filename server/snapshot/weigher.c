#include "server/snapshot/weigher.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define ERROR_CLASSES 4
#define NEW_ERROR 4  /* the error class of a new or a removed body */
#define NEAR_PARTS 4 /* the reach is divided into this many zones */
#define DIGIT_BITS 8
#define DIGIT_COUNT (1 << DIGIT_BITS)

void
sv_weigher_finish(struct sv_weigher *weigher)
{
    free(weigher->items);
    free(weigher->keys);
    free(weigher->spare);
    free(weigher->order);
    *weigher = (struct sv_weigher){0};
}

static bool
reserve_entries(struct sv_weigher *weigher, int count)
{
    if (weigher->capacity >= count) {
        return true;
    }
    size_t n = (size_t)count;
    sv_weigher_finish(weigher);
    weigher->items = malloc(n * sizeof(weigher->items[0]));
    weigher->keys = malloc(n * sizeof(weigher->keys[0]));
    weigher->spare = malloc(n * sizeof(weigher->spare[0]));
    weigher->order = malloc(n * sizeof(weigher->order[0]));
    if (weigher->items == NULL || weigher->keys == NULL || weigher->spare == NULL ||
        weigher->order == NULL) {
        sv_weigher_finish(weigher);
        return false;
    }
    weigher->capacity = count;
    return true;
}

static bool
reserve_slots(struct sv_waits *waits, uint32_t slot)
{
    int count = (int)slot + 1;
    if (waits->slot_count >= count) {
        return true;
    }
    count += count / 4;
    uint32_t *waited = realloc(waits->waited, (size_t)count * sizeof(*waited));
    if (waited == NULL) {
        return false;
    }
    memset(waited + waits->slot_count, 0,
        (size_t)(count - waits->slot_count) * sizeof(*waited));
    waits->waited = waited;
    waits->slot_count = count;
    return true;
}

/* ---- comparing ---- */

/* The least errors of the classes, in quanta: 1 mm, 1 cm, 1 dm, 1 m; the same in radians. */
struct classes {
    uint32_t position[ERROR_CLASSES], turn[ERROR_CLASSES];
};

static struct classes
classes_of(const struct wire_state *now)
{
    struct classes classes;
    /* A quaternion has half of the angle, so a quantum is twice the angle. */
    double turn = now->is_spatial ? 2.0 * now->precision.turn : now->precision.angle;
    double bound = 1e-3;
    for (int i = 0; i < ERROR_CLASSES; i++, bound *= 10.0) {
        double position = bound / now->precision.position, angle = bound / turn;
        classes.position[i] = position < 1e9 ? (uint32_t)position : 1000000000;
        classes.turn[i] = angle < 1e9 ? (uint32_t)angle : 1000000000;
    }
    return classes;
}

static uint32_t
distance_of(int32_t a, int32_t b)
{
    return a > b ? (uint32_t)a - (uint32_t)b : (uint32_t)b - (uint32_t)a;
}

static uint32_t
most_of(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t more = a > b ? a : b;
    return more > c ? more : c;
}

static uint32_t
class_of(uint32_t error, const uint32_t bounds[ERROR_CLASSES])
{
    uint32_t class = 0;
    while (class < ERROR_CLASSES && error > bounds[class]) {
        class++;
    }
    return class;
}

/* The error class of a body that is in both states; -1: no error. */
static int
error_of(const struct wire_state *was, int i, const struct wire_state *is, int k,
    const struct classes *classes)
{
    uint32_t position = most_of(distance_of(was->x[i], is->x[k]), distance_of(was->y[i], is->y[k]),
        is->is_spatial ? distance_of(was->z[i], is->z[k]) : 0);
    uint32_t turn;
    bool is_other = false;
    if (is->is_spatial) {
        turn = most_of(distance_of(was->turn_a[i], is->turn_a[k]),
            distance_of(was->turn_b[i], is->turn_b[k]), distance_of(was->turn_c[i], is->turn_c[k]));
        is_other = was->turn_largest[i] != is->turn_largest[k];
    } else {
        turn = distance_of(was->angle[i], is->angle[k]);
    }
    if (is_other) {
        return ERROR_CLASSES;
    }
    if ((position | turn) == 0) {
        return wire_state_sleeps(was, i) != wire_state_sleeps(is, k) ? 0 : -1;
    }
    uint32_t far = class_of(position, classes->position);
    uint32_t turned = class_of(turn, classes->turn);
    return (int)(far > turned ? far : turned);
}

/* The zone of a body: 0 at the edge of the area, larger inwards. */
static uint32_t
nearness_of(const struct sv_scope *scope, const struct wire_state *now, int entry)
{
    if (scope->interest.around == WIRE_AROUND_NOTHING || !scope->has_center) {
        return 0;
    }
    const int64_t at[3] = {now->x[entry], now->y[entry], now->is_spatial ? now->z[entry] : 0};
    uint32_t near = NEAR_PARTS - 1;
    for (int c = 0; c < 3; c++) {
        int64_t away = at[c] - scope->center[c];
        away = away < 0 ? -away : away;
        while (scope->is_bounded[c] && near > 0 &&
               away * NEAR_PARTS > scope->reach[c] * (NEAR_PARTS - (int64_t)near)) {
            near--;
        }
    }
    return near;
}

static void
add_item(struct sv_weighing *weighing, struct sv_waits *waits, const struct sv_scope *scope,
    const struct classes *classes, struct sv_weigher_item item)
{
    struct sv_weigher *weigher = weighing->weigher;
    uint32_t *waited = &waits->waited[item.slot];
    int error = item.was >= 0 && item.is >= 0
        ? error_of(weighing->known, item.was, weighing->now, item.is, classes)
        : NEW_ERROR;
    int index = weighing->item_count++;
    CN_ASSERT(index < weigher->capacity && item.slot < (uint32_t)waits->slot_count);
    weigher->items[index] = item;
    if (error < 0) {
        *waited = 0;
        return;
    }
    uint32_t near = item.is >= 0 ? nearness_of(scope, weighing->now, item.is) : 0;
    uint32_t step = 1 + (uint32_t)error + near;
    *waited = *waited < UINT32_MAX - step ? *waited + step : UINT32_MAX;
    /* Bodies that wait longest come first; of equals, those in lower slots. */
    weigher->keys[weighing->order_count++] =
        (uint64_t)(UINT32_MAX - *waited) << 32 | (uint32_t)index;
}

/* Whether both have the same bodies, so that entry i is the same body in both. */
static bool
has_slots_of(const struct wire_state *a, const struct wire_state *b)
{
    return a != NULL && a->count == b->count &&
        memcmp(a->body, b->body, (size_t)a->count * sizeof(a->body[0])) == 0;
}

bool
sv_weigh(struct sv_weighing *weighing, struct sv_weigher *weigher, struct sv_waits *waits,
    const struct sv_scope *scope, const struct wire_state *known, const struct wire_state *now)
{
    int known_count = known != NULL ? known->count : 0;
    uint32_t last = now->count > 0 ? now->body[now->count - 1] : 0;
    uint32_t known_last = known_count > 0 ? known->body[known_count - 1] : 0;
    *weighing = (struct sv_weighing){.weigher = weigher, .known = known, .now = now};
    if (!reserve_entries(weigher, known_count + now->count + 1) ||
        !reserve_slots(waits, last > known_last ? last : known_last)) {
        return false;
    }
    weighing->is_same = has_slots_of(known, now);
    struct classes classes = classes_of(now);
    int i = 0, k = 0;
    while (i < known_count || k < now->count) {
        struct sv_weigher_item item = {.was = -1, .is = -1};
        bool is_gone = k == now->count || (i < known_count && known->body[i] < now->body[k]);
        bool is_new = i == known_count || (k < now->count && now->body[k] < known->body[i]);
        item.slot = is_gone ? known->body[i] : now->body[k];
        item.was = is_new ? -1 : i++;
        item.is = is_gone ? -1 : k++;
        add_item(weighing, waits, scope, &classes, item);
    }
    CN_ASSERT(weighing->order_count <= weighing->item_count);
    return true;
}

/* ---- ordering ---- */

/* Sorts by one digit, stably.  False: all keys have the same digit, so nothing was moved. */
static bool
sort_digit(const uint64_t *keys, uint64_t *sorted, int count, int shift)
{
    int place[DIGIT_COUNT] = {0};
    for (int i = 0; i < count; i++) {
        place[keys[i] >> shift & (DIGIT_COUNT - 1)]++;
    }
    if (place[keys[0] >> shift & (DIGIT_COUNT - 1)] == count) {
        return false;
    }
    int sum = 0;
    for (int digit = 0; digit < DIGIT_COUNT; digit++) {
        int n = place[digit];
        place[digit] = sum;
        sum += n;
    }
    for (int i = 0; i < count; i++) {
        sorted[place[keys[i] >> shift & (DIGIT_COUNT - 1)]++] = keys[i];
    }
    return true;
}

void
sv_weigh_order(struct sv_weighing *weighing, const struct sv_scope *scope, int relevant_max)
{
    struct sv_weigher *weigher = weighing->weigher;
    int count = weighing->order_count;
    for (int shift = 32; count > 0 && shift < 64; shift += DIGIT_BITS) {
        if (sort_digit(weigher->keys, weigher->spare, count, shift)) {
            uint64_t *sorted = weigher->spare;
            weigher->spare = weigher->keys;
            weigher->keys = sorted;
        }
    }
    int first = 0, relevant = 0;
    for (int i = 0; i < count; i++) { /* bodies that come first are marked as taken for now */
        struct sv_weigher_item *item = &weigher->items[(uint32_t)weigher->keys[i]];
        bool is_relevant = (sv_scope_seen(scope, item->slot) & SV_SEEN_RELEVANT) != 0;
        item->is_taken = is_relevant && relevant < relevant_max;
        relevant += item->is_taken ? 1 : 0;
    }
    int rest = relevant;
    CN_ASSERT(relevant <= count);
    for (int i = 0; i < count; i++) {
        int index = (int)(uint32_t)weigher->keys[i];
        bool is_first = weigher->items[index].is_taken;
        weigher->order[is_first ? first++ : rest++] = index;
        weigher->items[index].is_taken = false;
    }
}

/* ---- mixing ---- */

struct wire_state *
sv_mix_create(const struct sv_weighing *weighing)
{
    struct wire_state *mix =
        wire_state_create(weighing->item_count, weighing->now->is_spatial);
    if (mix != NULL) {
        wire_state_describe(mix, weighing->now);
    }
    return mix;
}

static void
copy_entry(struct wire_state *to, int k, const struct wire_state *from, int i)
{
    uint8_t bit = (uint8_t)(1u << k % 8);
    to->body[k] = from->body[i];
    to->x[k] = from->x[i];
    to->y[k] = from->y[i];
    if (to->is_spatial) {
        to->z[k] = from->z[i];
        to->turn_largest[k] = from->turn_largest[i];
        to->turn_a[k] = from->turn_a[i];
        to->turn_b[k] = from->turn_b[i];
        to->turn_c[k] = from->turn_c[i];
    } else {
        to->angle[k] = from->angle[i];
    }
    to->asleep[k / 8] = (uint8_t)((to->asleep[k / 8] & ~bit) |
        (wire_state_sleeps(from, i) ? bit : 0));
}

/* Copies all entries of another state at once. */
static void
copy_all(struct wire_state *to, const struct wire_state *from)
{
    size_t size = (size_t)from->count * sizeof(int32_t);
    to->count = from->count;
    memcpy(to->body, from->body, size);
    memcpy(to->x, from->x, size);
    memcpy(to->y, from->y, size);
    if (to->is_spatial) {
        memcpy(to->z, from->z, size);
        memcpy(to->turn_largest, from->turn_largest, size);
        memcpy(to->turn_a, from->turn_a, size);
        memcpy(to->turn_b, from->turn_b, size);
        memcpy(to->turn_c, from->turn_c, size);
    } else {
        memcpy(to->angle, from->angle, size);
    }
    memcpy(to->asleep, from->asleep, ((size_t)from->count + 7) / 8);
}

/* Mixes states with different bodies, entry by entry. */
static void
merge_sorted(const struct sv_weighing *weighing, struct wire_state *mix)
{
    int k = 0;
    for (int n = 0; n < weighing->item_count; n++) {
        const struct sv_weigher_item *item = &weighing->weigher->items[n];
        bool is_now = item->is_taken;
        int entry = is_now ? item->is : item->was;
        if (entry >= 0) {
            copy_entry(mix, k++, is_now ? weighing->now : weighing->known, entry);
        }
    }
    CN_ASSERT(k <= weighing->item_count);
    mix->count = k;
}

/* Updates the previous mix for the few bodies that were added or removed. */
static void
mend_order(struct sv_weighing *weighing, struct wire_state *mix, int before, int count)
{
    const struct sv_weigher *weigher = weighing->weigher;
    if (before < 0) {
        copy_all(mix, weighing->known);
        before = 0;
    }
    for (int n = before; n < count; n++) {
        int entry = weigher->items[weigher->order[n]].is;
        copy_entry(mix, entry, weighing->now, entry);
    }
    for (int n = count; n < before; n++) {
        int entry = weigher->items[weigher->order[n]].is;
        copy_entry(mix, entry, weighing->known, entry);
    }
}

void
sv_mix(struct sv_weighing *weighing, struct wire_state *mix, int count)
{
    struct sv_weigher *weigher = weighing->weigher;
    CN_ASSERT(count >= 0 && count <= weighing->order_count);
    int before = weighing->has_mixed ? weighing->taken_count : -1;
    if (weighing->is_same) {
        mend_order(weighing, mix, before, count);
    } else {
        for (int n = before < 0 ? 0 : before; n < count; n++) {
            weigher->items[weigher->order[n]].is_taken = true;
        }
        for (int n = count; n < before; n++) {
            weigher->items[weigher->order[n]].is_taken = false;
        }
        merge_sorted(weighing, mix);
    }
    weighing->has_mixed = true;
    weighing->taken_count = count;
    int last = mix->count - 1;
    mix->asleep_count = 0;
    for (int i = 0; i < mix->count; i++) {
        mix->asleep_count += wire_state_sleeps(mix, i) ? 1 : 0;
    }
    mix->has_every_body = last < 0 || mix->body[last] == (uint32_t)last;
    mix->view_hash = wire_state_hash(mix);
}
