/*
 * mutant.h: mistakes that can be planted, to see that the simulator finds them.
 *
 * CN_MUTANT(NAME) is constant 0 in everything that is built, but in tests/sim/mutants, where one of
 * the table is chosen at start.  Each is one line in the code, at the place where somebody could
 * have made that mistake, and one line here: the oracle of tests/sim that has to catch it, and what
 * is wrong.
 */
#ifndef SERVER_BASE_MUTANT_H
#define SERVER_BASE_MUTANT_H

#define SV_MUTANT_TABLE(X)                                                                         \
    X(ACK_BEFORE_SYNC, "ack_kept", "tickets are durable before the commit has begun")              \
    X(FAILED_COMMIT, "ack_kept", "a commit that has failed is reported as durable")                \
    X(DURABLE_AS_PUT, "ack_kept", "what came into the lane meanwhile is durable, too")             \
    X(SYNC_NORMAL, "ack_kept", "SQLite does not flush its log at a commit")                        \
    X(HELD_EARLY, "ack_kept", "one publication is shown before it is durable")                     \
    X(TICKET_ZERO, "output_commit", "publications wait for no ticket")                             \
    X(SAME_GENERATION, "tick_order", "a reset begins no new generation")                           \
    X(EPOCH_KEPT, "tick_order", "an opening begins no new epoch")                                  \
    X(PRUNE_EARLY, "replay_equal", "the journal is pruned without a look at checkpoints")          \
    X(NO_RENAME, "replay_equal", "a checkpoint is named before its file is")                       \
    X(NO_FOLDER_SYNC, "replay_equal", "the folder is not flushed after a checkpoint's rename")     \
    X(NO_FILE_SYNC, "replay_equal", "a checkpoint's file is not flushed")                          \
    X(OLD_TRAIL, "replay_equal", "a checkpoint says one record less than it has")                  \
    X(NO_CHECKSUM, "replay_equal", "the checks of checkpoints are not compared")                   \
    X(SENTRY_OFF, "ack_kept", "nobody looks at the log before SQLite does")                        \
    X(WATERMARK_IGNORED, "ack_kept", "the watermark is not compared")                              \
    X(LAST_COMMIT_LOST, "ack_kept", "the way back ends one commit early")                          \
    X(SETTLED_SKIPPED, "ack_kept", "that an input is settled is not kept")                         \
    X(LEFT_SKIPPED, "replay_equal", "that a session has left is not kept")                         \
    X(SETTINGS_SKIPPED, "replay_equal", "changed settings are not kept")                           \
    X(RESET_SKIPPED, "replay_equal", "a reset is not kept")                                        \
    X(DEEDS_SWAPPED, "ack_kept", "an input is done before it is settled")                          \
    X(MARK_SKIPPED, "replay_equal", "no hashes are kept")                                          \
    X(AHEAD_SEVEN, "bounds", "a world goes a seventh tick ahead of the disk")                      \
    X(STALL_FOREVER, "liveness", "a world that waits for the disk waits for more than it asked")   \
    X(READ_ONLY_FOREVER, "liveness", "that there is room again is not seen")                       \
    X(DUPLICATE_TAKEN, "ack_kept", "an input that is sent again is done again")                    \
    X(TOKEN_UNCHECKED, "ack_kept", "a token of another life takes up a session")                   \
    X(AWAY_FOREVER, "bounds", "seats of those who went are kept for ever")                         \
    X(EARLY_SETTLED, "ack_kept", "an input for a later tick is settled when it comes")             \
    X(TRAIL_GAP, "asserts", "a record's number is left out")                                       \
    X(LOCK_IGNORED, "one_daemon", "a folder that another daemon holds is taken")                   \
    X(CLAIM_IGNORED, "one_daemon", "a journal that another has claimed since is written on")       \
    X(OTHER_LANE, "output_commit", "what is durable of the first worker counts for all")

#ifdef CN_MUTANTS
#define X(NAME, oracle, text) SV_MUTANT_##NAME,
enum sv_mutant { SV_MUTANT_NONE, SV_MUTANT_TABLE(X) SV_MUTANT_COUNT };
#undef X
extern enum sv_mutant sv_mutant_now;
#define CN_MUTANT(NAME) (sv_mutant_now == SV_MUTANT_##NAME)
#else
#define CN_MUTANT(NAME) 0
#endif

#endif
