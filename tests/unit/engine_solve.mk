solve_tests = tests/unit/engine/solve/test_bounded tests/unit/engine/linalg/test_pseudo_inverse tests/unit/engine/solve/test_faure96 \
	tests/unit/engine/linalg/test_active_set tests/unit/engine/solve/test_gauss \
	tests/unit/engine/linalg/test_envelope tests/unit/engine/linalg/test_lemke \
	tests/unit/engine/linalg/test_simplex \
	tests/unit/engine/linalg/test_simplex_least tests/unit/engine/linalg/test_least \
	tests/unit/engine/solve/test_chain tests/unit/engine/world/test_advice \
	tests/unit/engine/solve/test_enough \
	tests/unit/engine/solve/test_baraff89 tests/unit/engine/solve/test_baraff94_friction \
	tests/unit/engine/problem/test_problem tests/unit/engine/solve/test_baraff94 \
	tests/unit/engine/solve/test_dantzig
solve_tests += tests/unit/engine/linalg/test_lu tests/unit/engine/linalg/test_sparse_lu \
	tests/unit/engine/solve/test_newton tests/unit/engine/solve/test_rolling
check_PROGRAMS += $(solve_tests)
TESTS += $(solve_tests)

tests_unit_engine_linalg_test_envelope_SOURCES = tests/unit/engine/linalg/test_envelope.c tests/support/near.h
tests_unit_engine_linalg_test_envelope_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_lemke_SOURCES = tests/unit/engine/linalg/test_lemke.c tests/support/near.h
tests_unit_engine_linalg_test_lemke_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_least_SOURCES = tests/unit/engine/linalg/test_least.c tests/support/near.h
tests_unit_engine_linalg_test_least_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_baraff94_friction_SOURCES = \
	tests/unit/engine/solve/test_baraff94_friction.c tests/support/near.h \
	tests/support/solve/random_friction.h tests/support/solve/random_problem.h
tests_unit_engine_solve_test_baraff94_friction_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_baraff89_SOURCES = tests/unit/engine/solve/test_baraff89.c tests/support/near.h
tests_unit_engine_solve_test_baraff89_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_simplex_SOURCES = tests/unit/engine/linalg/test_simplex.c tests/support/near.h
tests_unit_engine_linalg_test_simplex_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_simplex_least_SOURCES = tests/support/near.h \
	tests/unit/engine/linalg/test_simplex_least.c
tests_unit_engine_linalg_test_simplex_least_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_problem_test_problem_SOURCES = tests/unit/engine/problem/test_problem.c \
	tests/support/solve/brick_wall.h tests/support/near.h \
	tests/support/solve/random_friction.h \
	tests/support/solve/random_problem.h
tests_unit_engine_problem_test_problem_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_baraff94_SOURCES = tests/unit/engine/solve/test_baraff94.c tests/support/near.h
tests_unit_engine_solve_test_baraff94_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_dantzig_SOURCES = tests/unit/engine/solve/test_dantzig.c \
	tests/support/solve/brick_wall.h tests/support/near.h
tests_unit_engine_solve_test_dantzig_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_active_set_SOURCES = tests/unit/engine/linalg/test_active_set.c tests/support/near.h
tests_unit_engine_linalg_test_active_set_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_gauss_SOURCES = tests/unit/engine/solve/test_gauss.c \
	tests/support/solve/brick_wall.h tests/support/near.h \
	tests/support/solve/random_problem.h
tests_unit_engine_solve_test_gauss_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_pseudo_inverse_SOURCES = \
	tests/unit/engine/linalg/test_pseudo_inverse.c tests/support/near.h
tests_unit_engine_linalg_test_pseudo_inverse_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_faure96_SOURCES = tests/unit/engine/solve/test_faure96.c \
	tests/support/near.h tests/support/solve/random_friction.h \
	tests/support/solve/random_problem.h
tests_unit_engine_solve_test_faure96_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_bounded_SOURCES = tests/unit/engine/solve/test_bounded.c tests/support/near.h
tests_unit_engine_solve_test_bounded_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_lu_SOURCES = tests/unit/engine/linalg/test_lu.c tests/support/near.h
tests_unit_engine_linalg_test_lu_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_linalg_test_sparse_lu_SOURCES = \
	tests/unit/engine/linalg/test_sparse_lu.c
tests_unit_engine_linalg_test_sparse_lu_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_newton_SOURCES = tests/unit/engine/solve/test_newton.c \
	tests/support/near.h tests/support/solve/random_friction.h \
	tests/support/solve/random_problem.h
tests_unit_engine_solve_test_newton_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_rolling_SOURCES = tests/unit/engine/solve/test_rolling.c \
	tests/support/near.h tests/support/solve/random_friction.h \
	tests/support/solve/random_problem.h
tests_unit_engine_solve_test_rolling_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
production_tests = tests/unit/engine/solve/test_color tests/unit/engine/solve/test_impulse \
	tests/unit/engine/solve/test_impulse_kernels tests/unit/engine/solve/test_impulse_spatial
check_PROGRAMS += $(production_tests)
TESTS += $(production_tests)
tests_unit_engine_solve_test_color_SOURCES = tests/unit/engine/solve/test_color.c
tests_unit_engine_solve_test_color_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_impulse_SOURCES = tests/unit/engine/solve/test_impulse.c \
	tests/support/solve/impulse_run.h
tests_unit_engine_solve_test_impulse_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_impulse_kernels_SOURCES = \
	tests/unit/engine/solve/test_impulse_kernels.c tests/support/solve/impulse_run.h \
	tests/support/solve/impulse_random.h
tests_unit_engine_solve_test_impulse_kernels_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_impulse_spatial_SOURCES = \
	tests/unit/engine/solve/test_impulse_spatial.c tests/support/solve/impulse_run.h
tests_unit_engine_solve_test_impulse_spatial_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_solve_test_chain_SOURCES = tests/unit/engine/solve/test_chain.c \
	tests/support/world/island.h tests/support/world/scene.c
tests_unit_engine_solve_test_chain_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_solve_test_enough_SOURCES = tests/unit/engine/solve/test_enough.c \
	tests/support/world/island.h tests/support/world/scene.c
tests_unit_engine_solve_test_enough_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_advice_SOURCES = tests/unit/engine/world/test_advice.c \
	tests/support/world/island.h tests/support/world/scene.c
tests_unit_engine_world_test_advice_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
