/*
 * table.h: the table of the ids of the truth set that run, and of those that are skipped, with the
 * reason.
 *
 * Patterns are those of fnmatch(3), so one function runs all cases of a family.  Every number comes
 * from the case itself.  An id that matches no runner and no skip fails.  An id that matches both
 * also fails.
 */
#ifndef TESTS_TRUTH_TABLE_H
#define TESTS_TRUTH_TABLE_H

#include "tests/truth/json.h"

/*
 * A section of the set, for statements on several cases.  If the given set has no id of the pattern
 * there, it is the section of the public set.
 */
const json_t *truth_section(const char *section, const char *pattern);

/* Pattern, function, and the parts of the case that are not run ("" if all of it is). */
#define TRUTH_RUNNER_TABLE(X)                                                                      \
    X("B-incline-*", truth_run_incline, "")                                                        \
    X("B-block-*", truth_run_block, "")                                                            \
    X("B-heur-*", truth_run_heuristic, "")                                                         \
    X("B-infeasible-*", truth_run_infeasible, "")                                                  \
    X("B-legs-*", truth_run_legs, "")                                                              \
    X("B-chain-N*", truth_run_chain, "")                                                           \
    X("B-overbalanced-*", truth_run_overbalanced, "")                                              \
    X("B-demo-overbalanced*", truth_run_demo_overbalanced, "")                                     \
    X("B-simul-*", truth_run_simultaneous, "")                                                     \
    X("B-propag-*", truth_run_propagation, "")                                                     \
    X("B-ballstack-*", truth_run_ballstack, "each impact of a sequence: an instant shows its sum") \
    X("B-fig13*", truth_run_fig13, "")                                                             \
    X("B-blockimpact-*", truth_run_blockimpact, "")                                                \
    X("B-toi-[0-9]*", truth_run_toi, "the count of evaluations: worlds do not show it")            \
    X("B-toi-rod-*", truth_run_toi_rod, "")                                                        \
    X("B-degenerate-vv*", truth_run_tips, "")                                                      \
    X("B-penalty*", truth_run_penalty, "")                                                         \
    X("B-five-agree*", truth_run_agree, "")                                                        \
    X("M-eq9*", truth_run_eq9, "")                                                                 \
    X("M-eq10*", truth_run_eq10, "")                                                               \
    X("M-bvec-*", truth_run_bvec, "")                                                              \
    X("M-vgroove-*", truth_run_vgroove, "")                                                        \
    X("M-thrust*", truth_run_thrust, "")                                                           \
    X("M-resting-criteria*", truth_run_resting, "")                                                \
    X("M-newtons-third*", truth_run_third_law, "")                                                 \
    X("F-cycle-3legs-*", truth_run_cycle, "")                                                      \
    X("F-cycle-rate*", truth_run_cycle_rate, "")                                                   \
    X("F-bar-*", truth_run_bar, "")                                                                \
    X("F-anytime*", truth_run_anytime, "")                                                         \
    X("F-work-not-monotone*", truth_run_work, "")                                                  \
    X("F-fig5-[34]sliding-*", truth_run_turntable_sliding, "")                                     \
    X("F-fig5-1static-*", truth_run_turntable_static, "")                                          \
    X("F-corotate*", truth_run_corotate, "")                                                       \
    X("B-contact-reduction*", truth_run_region, "")                                                \
    X("G-torusmesh-*", truth_run_torus, "")                                                        \
    X("G-Lshape*", truth_run_lshape, "")                                                           \
    X("G-sdf*", truth_run_sdf, "")                                                                 \
    X("G-freeflight*", truth_run_freeflight, "")                                                   \
    X("G-overimpulse*", truth_run_overimpulse, "")                                                 \
    X("G-incline-*", truth_run_incline_figure, "")                                                 \
    X("G-rest-e1-*", truth_run_rest, "the control, which is another method: the test has it")      \
    X("G-naive-control-*", truth_run_naive_control, "the control: the test has it, no stepper")    \
    X("G-stack-rest*", truth_run_stack_rest, "")                                                   \
    X("G-billiard-*", truth_run_billiard, "")                                                      \
    X("G-rollfric-*", truth_run_rolling, "")                                                       \
    X("G-spinfric-*", truth_run_spinning, "")                                                      \
    X("G-rings*", truth_run_rings, "500 and 1000 rings: they take minutes")                        \
    X("G-graph*", truth_run_graph, "")                                                             \
    X("G-domino-ring*", truth_run_domino_ring, "")                                                 \
    X("G-flip*", truth_run_flip, "")                                                               \
    X("G-collide-*", truth_run_collide, "")                                                        \
    X("G-pitfall-*", truth_run_pitfall, "")                                                        \
    X("G-energy-gain*", truth_run_energy_gain, "")                                                 \
    X("G-friction-cone*", truth_run_friction_cone, "")                                             \
    X("G-rollspin-solve*", truth_run_combined, "")                                                 \
    X("G-stack-gs-*", truth_run_stack_sweeps, "")                                                  \
    X("G-gradual-e*", truth_run_gradual, "")                                                       \
    X("G-seesaw-*", truth_run_seesaw, "")                                                          \
    X("G-combine*", truth_run_combine, "")                                                         \
    X("G-dt-limit*", truth_run_tunnel, "")                                                         \
    X("R-inelastic*", truth_run_inelastic, "")                                                     \
    X("R-thm71-*", truth_run_loop_impact, "")                                                      \
    X("R-equiv-*", truth_run_equiv, "")                                                            \
    X("R-drift-*", truth_run_drift, "")                                                            \
    X("R-ninemass-*", truth_run_ninemass, "")                                                      \
    X("R-fourmass*", truth_run_fourmass, "")                                                       \
    X("R-penalty*", truth_run_penalty_bars,                                                        \
        "the indicative limits, and worlds: none has bars that give way")                          \
    X("R-shorttime*", truth_run_shorttime, "")                                                     \
    X("R-sidedness*", truth_run_sidedness, "")                                                     \
    X("R-pendulum-order-*", truth_run_pendulum_order, "")                                          \
    X("R-energy*", truth_run_collapse_loop, "")                                                    \
    X("C-rattleback*", truth_run_rattleback, "")                                                   \
    X("C-cradle*", truth_run_propagation, "")                                                      \
    X("C-painleve-[0-9]*", truth_run_painleve, "")                                                 \
    X("F-onset-*", truth_run_onset, "")                                                            \
    X("F-mus-mud-*", truth_run_mus_mud, "")                                                        \
    X("C-tip-push-*", truth_run_tip_push, "")                                                      \
    X("C-tip-incline-*", truth_run_tip_incline, "")                                                \
    X("C-slidebox-*", truth_run_slidebox, "")                                                      \
    X("C-ladder-mu*", truth_run_ladder_mu, "")                                                     \
    X("C-twoblocks-*", truth_run_twoblocks, "")                                                    \
    X("C-cards-*", truth_run_cards, "")                                                            \
    X("C-slidroll-*", truth_run_slidroll, "")                                                      \
    X("C-rollincline-*", truth_run_rollincline, "")                                                \
    X("C-rocking-*", truth_run_rocking, "")                                                        \
    X("B-demo-dominoes*", truth_run_demo_dominoes, "")                                             \
    X("C-domino-wave*", truth_run_domino_wave, "")                                                 \
    X("C-domino-single-*", truth_run_domino_single, "")                                            \
    X("C-painleve-states-*", truth_run_painleve_states, "")                                        \
    X("C-wedge-*", truth_run_wedge, "")                                                            \
    X("C-rodimpact*", truth_run_rodimpact, "")                                                     \
    X("C-bounce-*", truth_run_bounce, "")                                                          \
    X("C-ladder-leaves-*", truth_run_ladder_leaves, "")                                            \
    X("C-offsphere*", truth_run_offsphere, "")                                                     \
    X("C-top-*", truth_run_top, "")                                                                \
    X("C-dzhanibekov-*", truth_run_dzhanibekov, "")                                                \
    X("C-freeprecession-*", truth_run_free_precession, "")                                         \
    X("B-demo-chain-pivot*", truth_run_chain_pivot, "")                                            \
    X("C-pendulum-*", truth_run_pendulum, "")                                                      \
    X("C-doublependulum-*", truth_run_doublependulum, "")                                          \
    X("C-catenary-*", truth_run_catenary, "")                                                      \
    X("C-chain-peg*", truth_run_chain_peg, "")                                                     \
    X("FC-*", truth_run_velocity_level, "")                                                        \
    X("L-*", truth_run_lcp, "")                                                                    \
    X("C-arch-n*", truth_run_arch, "")                                                             \
    X("C-arch-milankovitch*", truth_run_arch_limit, "")                                            \
    X("overhang-*", truth_run_overhang, "")                                                        \
    X("T-*", truth_run_tower, "")

struct truth_runner {
    const char *pattern;
    void (*run)(const json_t *data);
    const char *left_out;
};

struct truth_skip {
    const char *pattern;
    const char *reason;
};

/* Both end with a NULL pattern. */
extern const struct truth_runner truth_runners[];
extern const struct truth_skip truth_skips[];

/* The exact checks of cases that also run as worlds. */
void truth_check_tower(const json_t *data);
void truth_check_ladder(const json_t *data);
void truth_check_cards(const json_t *data);

/* The data of another id, in this set or in the public one. */
const json_t *truth_find(const char *id);

#define X(pattern, run, left_out) void run(const json_t *data);
TRUTH_RUNNER_TABLE(X)
#undef X

/*
 * Solves a case by every solver.  The case has one body of unit mass and inertia, its rows
 * (1, u, v) and a wrench.  It expects accelerations, and forces if they are unique.
 */
void truth_run_single_body(const json_t *data);

/* Parts of other cases. */
void truth_run_seesaw_tips(const json_t *data);
void truth_run_qstar(const json_t *data);
void truth_run_collapse(const json_t *data);
void truth_run_two_frictions(const json_t *data);
void truth_run_push(const json_t *data);
void truth_run_tilt(const json_t *data);
void truth_run_sliding_box(const json_t *data);
void truth_run_two_blocks(const json_t *data);
void truth_run_ladder(const json_t *data);
void truth_push_one_by_one(const json_t *data);

#endif
