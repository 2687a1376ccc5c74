#include "engine/model/event.h"

#include "engine/base/assert.h"

static const char *const names[] = {
#define X(NAME, name, text) name,
    CN_EVENT_TABLE(X)
#undef X
};

static const char *const texts[] = {
#define X(NAME, name, text) text,
    CN_EVENT_TABLE(X)
#undef X
};

const char *
cn_event_name(enum cn_event_kind kind)
{
    CN_ASSERT(kind < CN_EVENT_KIND_COUNT);
    return names[kind];
}

const char *
cn_event_text(enum cn_event_kind kind)
{
    CN_ASSERT(kind < CN_EVENT_KIND_COUNT);
    return texts[kind];
}
