EXTRA_DIST += tests/truth/data/truth_public.json tests/truth/data/variants.json \
	tests/truth/runs/README.md
EXTRA_DIST += tests/truth/test_variants tests/truth/variants/base.py tests/truth/variants/exact.py \
	tests/truth/variants/faure.py tests/truth/variants/impacts.py \
	tests/truth/variants/mesh.py tests/truth/variants/motion.py \
	tests/truth/variants/rote.py tests/truth/variants/run.py \
	tests/truth/variants/statics.py tests/truth/variants/velocity.py

check_PROGRAMS += tests/truth/test_truth
TESTS += tests/truth/test_truth tests/truth/test_variants
tests_truth_test_truth_SOURCES = \
	tests/support/world/scene.c tests/support/world/scene.h \
	tests/truth/check.c tests/truth/check.h \
	tests/truth/json.c tests/truth/json.h \
	tests/truth/points.c tests/truth/points.h \
	tests/truth/problem.c tests/truth/problem.h \
	tests/truth/runs/run_check.c \
	tests/truth/runs/run_dominoes.c \
	tests/truth/runs/run_field.c \
	tests/truth/runs/run_frame.c \
	tests/truth/runs/run_friction.c \
	tests/truth/runs/run_geometry.c \
	tests/truth/runs/run_graph.c \
	tests/truth/runs/run_heuristic.c \
	tests/truth/runs/run_hold.c \
	tests/truth/runs/run_agree.c \
	tests/truth/runs/run_faure.c \
	tests/truth/runs/run_impact.c \
	tests/truth/runs/run_joints.c \
	tests/truth/runs/run_matrix.c \
	tests/truth/runs/run_position.c \
	tests/truth/runs/run_propagation.c \
	tests/truth/runs/run_rattleback.c \
	tests/truth/runs/run_rest.c \
	tests/truth/runs/run_rings.c \
	tests/truth/runs/run_rough.c \
	tests/truth/runs/run_rows.c \
	tests/truth/runs/run_slide.c \
	tests/truth/runs/run_space.c \
	tests/truth/runs/run_statics.c \
	tests/truth/runs/run_strike.c \
	tests/truth/runs/run_sweeps.c \
	tests/truth/runs/run_time.c \
	tests/truth/runs/run_tower.c \
	tests/truth/runs/run_velocity.c \
	tests/truth/runs/run_turntable.c \
	tests/truth/table.c tests/truth/table.h \
	tests/truth/test_truth.c \
	tests/truth/tower.c tests/truth/tower.h \
	tests/truth/tower_world.c
tests_truth_test_truth_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) $(GMP_CFLAGS)
tests_truth_test_truth_LDADD = $(PROVE_LIBS) $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
