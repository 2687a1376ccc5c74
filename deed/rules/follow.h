/*
 * follow.h: the ticks of a follower (deed/follower.h), with the rules of its scene.
 *
 * Threads: one at a time.
 */
#ifndef DEED_RULES_FOLLOW_H
#define DEED_RULES_FOLLOW_H

#include "deed/follower.h"
#include "deed/rules/rules.h"

/*
 * Steps the follower's engine like cn_world_step.  `rules` begins as zeros and is the caller's to
 * finish.
 */
enum cn_step_result dd_follower_step(
    struct dd_follower *follower, struct dd_rules *rules, int64_t work);

#endif
