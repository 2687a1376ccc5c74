#include "server/snapshot/view.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"
#include "proto/raw.h"
#include "proto/snapshot_codec.h"
#include "server/snapshot/framing.h"

#include <stdlib.h>

void
sv_view_tools_finish(struct sv_view_tools *tools)
{
    wire_encoder_finish(&tools->encoder);
    wire_contact_encoder_finish(&tools->contact_encoder);
}

void
sv_view_init(struct sv_view *view, struct wire_state *state)
{
    *view = (struct sv_view){.state = wire_state_ref(state)};
}

void
sv_view_finish(struct sv_view *view)
{
    for (int i = 0; i < WIRE_MODE_COUNT; i++) {
        sv_buffer_unref(view->whole[i]);
    }
    for (int i = 0; i < view->delta_count; i++) {
        wire_state_unref(view->deltas[i].first);
        wire_state_unref(view->deltas[i].second);
        sv_buffer_unref(view->deltas[i].message);
    }
    for (int i = 0; i < view->contact_delta_count; i++) {
        wire_contacts_unref(view->contact_deltas[i].base);
        sv_buffer_unref(view->contact_deltas[i].message);
    }
    free(view->contact_deltas);
    wire_contacts_unref(view->contacts);
    free(view->deltas);
    for (int i = 0; i < view->attribute_frame_count; i++) {
        sv_attributes_unref(view->attribute_frames[i].from);
        sv_buffer_unref(view->attribute_frames[i].message);
    }
    sv_attributes_unref(view->attributes);
    wire_state_unref(view->state);
    *view = (struct sv_view){0};
}

bool
sv_view_may_serve(const struct wire_state *baseline, const struct wire_state *state)
{
    return baseline->series == state->series && baseline->tick < state->tick &&
        state->tick - baseline->tick <= WIRE_BASELINE_AGE_MAX;
}

/* ---- messages ---- */

static size_t
encode_snapshot(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_snapshot(context, out, out_size);
}

static struct sv_buffer *
make_delta(const struct sv_view *view, struct sv_view_tools *tools, struct wire_state *first,
    struct wire_state *second)
{
    if (!wire_encode_delta(&tools->encoder, view->state, first, second)) {
        return NULL;
    }
    return sv_frame_bytes(tools->encoder.bytes, tools->encoder.size);
}

static struct sv_buffer *
make_raw(const struct sv_view *view, struct sv_view_tools *tools)
{
    if (tools->world == NULL || !wire_encode_raw(&tools->encoder, tools->world, view->state)) {
        return NULL;
    }
    return sv_frame_bytes(tools->encoder.bytes, tools->encoder.size);
}

/* A Snapshot as text. */
static struct sv_buffer *
make_text(const struct sv_view *view)
{
    size_t size = wire_encode_snapshot(view->state, NULL, 0);
    uint8_t *bytes = malloc(size);
    char *text = NULL;
    if (bytes != NULL && wire_encode_snapshot(view->state, bytes, size) == size) {
        text = wire_server_message_print(bytes, size);
    }
    struct sv_buffer *message = text != NULL ? sv_frame_text(text) : NULL;
    free(text);
    free(bytes);
    return message;
}

static struct sv_buffer *
make_whole(const struct sv_view *view, struct sv_view_tools *tools, enum wire_mode mode)
{
    switch (mode) {
    case WIRE_MODE_DELTA:
        return make_delta(view, tools, NULL, NULL);
    case WIRE_MODE_RAW:
        return make_raw(view, tools);
    case WIRE_MODE_JSON:
        return make_text(view);
    case WIRE_MODE_QUANTISED:
    default:
        return sv_frame_message(encode_snapshot, view->state);
    }
}

static struct sv_buffer *
count_message(const struct sv_view *view, struct sv_view_tools *tools, struct sv_buffer *message)
{
    if (message != NULL) {
        SV_OBSERVE(tools->metrics, snapshot_bytes, message->size);
        SV_COUNT(tools->metrics, deltas_filled, view->is_published ? 1 : 0);
    }
    return message;
}

static struct sv_buffer *
show_whole(struct sv_view *view, struct sv_view_tools *tools, enum wire_mode mode)
{
    if (view->whole[mode] == NULL) {
        view->whole[mode] = count_message(view, tools, make_whole(view, tools, mode));
    }
    return view->whole[mode];
}

static bool
make_room(struct sv_view *view)
{
    if (view->delta_count < view->delta_capacity) {
        return true;
    }
    int wanted = 2 * view->delta_capacity + 2;
    int capacity = wanted < SV_DELTAS_MAX ? wanted : SV_DELTAS_MAX;
    struct sv_view_delta *larger = view->delta_count < SV_DELTAS_MAX
        ? realloc(view->deltas, (size_t)capacity * sizeof(*larger))
        : NULL;
    if (larger == NULL) {
        return false;
    }
    view->deltas = larger;
    view->delta_capacity = capacity;
    return true;
}

static struct sv_buffer *
show_delta(struct sv_view *view, struct sv_view_tools *tools, struct wire_state *first,
    struct wire_state *second)
{
    for (int i = 0; i < view->delta_count; i++) {
        if (view->deltas[i].first == first && view->deltas[i].second == second) {
            return view->deltas[i].message;
        }
    }
    /* Without room for another delta, clients share the keyframe, so that no client is delayed. */
    if (!make_room(view)) {
        return show_whole(view, tools, WIRE_MODE_DELTA);
    }
    struct sv_buffer *message = count_message(view, tools, make_delta(view, tools, first, second));
    if (message != NULL) {
        CN_ASSERT(view->delta_count < view->delta_capacity);
        view->deltas[view->delta_count++] = (struct sv_view_delta){
            .first = wire_state_ref(first),
            .second = second != NULL ? wire_state_ref(second) : NULL,
            .message = message,
        };
    }
    return message;
}

struct sv_buffer *
sv_view_show(struct sv_view *view, struct sv_view_tools *tools, enum wire_mode mode,
    struct wire_state *first, struct wire_state *second)
{
    CN_ASSERT(mode < WIRE_MODE_COUNT);
    bool has_first =
        mode == WIRE_MODE_DELTA && first != NULL && sv_view_may_serve(first, view->state);
    if (!has_first) {
        return show_whole(view, tools, mode);
    }
    /*
     * An old second baseline is left out: it predicts badly, and fewer pairs are shared by more
     * clients.
     */
    bool has_second = second != NULL && sv_view_may_serve(second, first) &&
        view->state->tick - second->tick <= SV_SECOND_BASELINE_AGE_MAX;
    return show_delta(view, tools, first, has_second ? second : NULL);
}

/* ---- attributes ---- */

static struct sv_buffer *
add_attribute_frame(struct sv_view *view, struct sv_attributes *from)
{
    struct sv_buffer *message = sv_attributes_message(
        from, view->attributes, view->state->tick, view->state->generation);
    if (message != NULL) {
        CN_ASSERT(view->attribute_frame_count < SV_VIEW_ATTRIBUTES_MAX);
        view->attribute_frames[view->attribute_frame_count++] = (struct sv_view_attributes){
            .from = from != NULL ? sv_attributes_ref(from) : NULL, .message = message};
    }
    return message;
}

struct sv_buffer *
sv_view_show_attributes(struct sv_view *view, struct sv_attributes *from)
{
    CN_ASSERT(view->attributes != NULL && view->attributes != from);
    bool has_all = from == NULL;
    for (int i = 0; i < view->attribute_frame_count; i++) {
        if (view->attribute_frames[i].from == from) {
            return view->attribute_frames[i].message;
        }
        has_all = has_all || view->attribute_frames[i].from == NULL;
    }
    /* The last place is for the frame that has all attributes. */
    int room = SV_VIEW_ATTRIBUTES_MAX - view->attribute_frame_count - (has_all ? 0 : 1);
    return room > 0 ? add_attribute_frame(view, from) : sv_view_show_attributes(view, NULL);
}

/* ---- contacts ---- */

static struct sv_buffer *
make_contacts(
    const struct sv_view *view, struct sv_view_tools *tools, const struct wire_contacts *base)
{
    struct wire_contact_encoder *encoder = &tools->contact_encoder;
    if (!wire_encode_contact_delta(encoder, view->contacts, base)) {
        return NULL;
    }
    struct sv_buffer *message = sv_frame_bytes(encoder->bytes, encoder->size);
    if (message != NULL) {
        SV_OBSERVE(tools->metrics, contact_bytes, message->size);
    }
    return message;
}

struct sv_buffer *
sv_view_show_contacts(
    struct sv_view *view, struct sv_view_tools *tools, struct wire_contacts *base)
{
    CN_ASSERT(view->contacts != NULL && base != view->contacts);
    for (int i = 0; i < view->contact_delta_count; i++) {
        if (view->contact_deltas[i].base == base) {
            return view->contact_deltas[i].message;
        }
    }
    /* Room for the keyframe stays free, so that no client is delayed. */
    if (base != NULL && view->contact_delta_count + 1 >= SV_DELTAS_MAX) {
        return sv_view_show_contacts(view, tools, NULL);
    }
    if (view->contact_deltas == NULL) {
        view->contact_deltas = calloc(SV_DELTAS_MAX, sizeof(view->contact_deltas[0]));
    }
    struct sv_buffer *message =
        view->contact_deltas != NULL ? make_contacts(view, tools, base) : NULL;
    if (message != NULL) {
        CN_ASSERT(view->contact_delta_count < SV_DELTAS_MAX);
        view->contact_deltas[view->contact_delta_count++] = (struct sv_view_contact_delta){
            .base = base != NULL ? wire_contacts_ref(base) : NULL, .message = message};
    }
    return message;
}
