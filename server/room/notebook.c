#include "server/room/notebook.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

/* Notes that wait for the lane, with copies of their bytes behind them. */
struct sv_notebook_page {
    struct sv_notebook_page *next;
    uint64_t number;
    int count;
    struct sv_note notes[];
};

void
sv_notebook_init(struct sv_notebook *notebook, struct sv_store *store, int lane)
{
    memset(notebook, 0, sizeof(*notebook));
    notebook->store = store;
    notebook->lane = store != NULL ? sv_store_lane(store, lane) : NULL;
}

void
sv_notebook_finish(struct sv_notebook *notebook)
{
    while (notebook->first != NULL) {
        struct sv_notebook_page *page = notebook->first;
        notebook->first = page->next;
        free(page);
    }
    free(notebook->written);
    memset(notebook, 0, sizeof(*notebook));
}

static struct sv_notebook_page *
copy_notes(const struct sv_note *notes, int count)
{
    size_t size = sizeof(struct sv_notebook_page) + (size_t)count * sizeof(struct sv_note);
    size_t at = size;
    for (int i = 0; i < count; i++) {
        size += notes[i].size;
    }
    struct sv_notebook_page *page = malloc(size);
    if (page == NULL) {
        return NULL;
    }
    page->next = NULL;
    page->count = count;
    for (int i = 0; i < count; i++) {
        unsigned char *bytes = (unsigned char *)page + at;
        page->notes[i] = notes[i];
        if (notes[i].bytes != NULL) {
            memcpy(bytes, notes[i].bytes, notes[i].size);
            page->notes[i].bytes = bytes;
        }
        at += notes[i].size;
    }
    CN_ASSERT(at == size);
    return page;
}

/* Whether there is room to remember one more ticket. */
static bool
has_place(struct sv_notebook *notebook)
{
    if (notebook->written_count < notebook->written_capacity) {
        return true;
    }
    int capacity = 2 * notebook->written_capacity + 64;
    void *larger =
        realloc(notebook->written, (size_t)capacity * sizeof(notebook->written[0]));
    if (larger != NULL) {
        notebook->written = larger;
        notebook->written_capacity = capacity;
    }
    return larger != NULL;
}

static bool
write_notes(
    struct sv_notebook *notebook, const struct sv_note *notes, int count, uint64_t number)
{
    uint64_t ticket =
        has_place(notebook) ? sv_lane_put_notes(notebook->lane, notes, count) : 0;
    if (ticket > 0) {
        notebook->written[notebook->written_count].number = number;
        notebook->written[notebook->written_count++].ticket = ticket;
    }
    return ticket > 0;
}

uint64_t
sv_notebook_put(struct sv_notebook *notebook, const struct sv_note *notes, int count)
{
    uint64_t number = ++notebook->put_count;
    CN_ASSERT(count > 0);
    if (notebook->lane == NULL) {
        notebook->durable = number;
        return number;
    }
    if (notebook->first == NULL && write_notes(notebook, notes, count, number)) {
        return number;
    }
    struct sv_notebook_page *page = copy_notes(notes, count);
    /* A room that the store does not know as it is would lose seats; a restart loses none. */
    CN_ASSERT(page != NULL);
    page->number = number;
    if (notebook->last != NULL) {
        notebook->last->next = page;
    } else {
        notebook->first = page;
    }
    notebook->last = page;
    notebook->waiting_count++;
    return number;
}

void
sv_notebook_flush(struct sv_notebook *notebook)
{
    if (notebook->lane != NULL) {
        sv_lane_flush(notebook->lane);
    }
}

void
sv_notebook_poll(struct sv_notebook *notebook)
{
    if (notebook->lane == NULL) {
        return;
    }
    bool is_any = false;
    while (notebook->first != NULL &&
        write_notes(
            notebook, notebook->first->notes, notebook->first->count, notebook->first->number)) {
        struct sv_notebook_page *page = notebook->first;
        notebook->first = page->next;
        notebook->last = page->next != NULL ? notebook->last : NULL;
        notebook->waiting_count--;
        free(page);
        is_any = true;
    }
    if (is_any) {
        sv_lane_flush(notebook->lane);
    }
    uint64_t durable = sv_lane_durable(notebook->lane);
    int done = 0;
    while (done < notebook->written_count && notebook->written[done].ticket <= durable) {
        CN_ASSERT(notebook->written[done].number > notebook->durable); /* in order */
        notebook->durable = notebook->written[done++].number;
    }
    notebook->written_count -= done;
    if (done > 0 && notebook->written_count > 0) {
        memmove(notebook->written, notebook->written + done,
            (size_t)notebook->written_count * sizeof(notebook->written[0]));
    }
}

bool
sv_notebook_is_durable(const struct sv_notebook *notebook, uint64_t number)
{
    CN_ASSERT(number <= notebook->put_count);
    return number <= notebook->durable;
}

bool
sv_notebook_is_open(const struct sv_notebook *notebook)
{
    if (notebook->store == NULL) {
        return true;
    }
    enum sv_store_state state = sv_store_look(notebook->store, NULL);
    /* A slow disk (STALLED) takes notes, too: their requests are answered later. */
    return notebook->waiting_count == 0 &&
        (state == SV_STORE_WRITING || state == SV_STORE_STALLED);
}
