#include "server/mail/letter.h"

#include <stdlib.h>

void
sv_order_destroy(struct sv_order *order)
{
    if (order != NULL) {
        sv_scene_unref(order->scene);
        wire_change_destroy(order->change);
        free(order);
    }
}

void
sv_letter_finish(struct sv_letter *letter)
{
    if (letter->kind == SV_LETTER_CREATE) {
        sv_scene_unref(letter->create.scene_take);
        sv_seed_destroy(letter->create.seed_take);
    } else if (letter->kind == SV_LETTER_SEEK) {
        sv_seed_destroy(letter->seek.seed_take);
    } else if (letter->kind == SV_LETTER_ORDER) {
        sv_order_destroy(letter->order_take);
    } else if (letter->kind == SV_LETTER_QUERY) {
        free(letter->query_take);
    } else if (letter->kind == SV_LETTER_SUBSCRIBE) {
        free(letter->subscribe.interest_take);
    }
}

void
sv_outcome_destroy(struct sv_outcome *outcome)
{
    if (outcome != NULL) {
        sv_scene_unref(outcome->scene);
        free(outcome->text);
        free(outcome);
    }
}

void
sv_report_finish(struct sv_report *report)
{
    sv_buffer_unref(report->message_take);
    sv_outcome_destroy(report->outcome_take);
}
