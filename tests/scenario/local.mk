# Scenes with claims.
EXTRA_DIST += tests/support/world/lab.h tests/support/world/methods.h tests/support/world/scene.h
scenario_engine = \
	tests/scenario/test_bench_scenes \
	tests/scenario/test_bounds \
	tests/scenario/test_energy \
	tests/scenario/test_friction \
	tests/scenario/test_joints \
	tests/scenario/test_joint_worlds \
	tests/scenario/test_pile \
	tests/scenario/test_prescribed \
	tests/scenario/test_prescribed_motion \
	tests/scenario/test_resume \
	tests/scenario/test_rolling \
	tests/scenario/test_rolling_event \
	tests/scenario/test_stands
check_PROGRAMS += $(scenario_engine)
TESTS += $(scenario_engine)

tests_scenario_test_bench_scenes_SOURCES = tests/scenario/test_bench_scenes.c $(bench_sources)
tests_scenario_test_bench_scenes_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_stands_SOURCES = tests/scenario/test_stands.c $(bench_sources)
tests_scenario_test_stands_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_bounds_SOURCES = tests/scenario/test_bounds.c tests/support/world/scene.c
tests_scenario_test_bounds_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_energy_SOURCES = tests/scenario/test_energy.c tests/support/world/scene.c
tests_scenario_test_energy_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_friction_SOURCES = tests/scenario/test_friction.c tests/support/world/scene.c
tests_scenario_test_friction_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_rolling_SOURCES = tests/scenario/test_rolling.c tests/support/world/scene.c
tests_scenario_test_rolling_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_rolling_event_SOURCES = \
	tests/scenario/test_rolling_event.c tests/support/world/scene.c
tests_scenario_test_rolling_event_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_joints_SOURCES = tests/scenario/test_joints.c tests/support/world/scene.c
tests_scenario_test_joints_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_joint_worlds_SOURCES = \
	tests/scenario/test_joint_worlds.c tests/support/world/scene.c
tests_scenario_test_joint_worlds_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_pile_SOURCES = tests/scenario/test_pile.c tests/support/world/scene.c
tests_scenario_test_pile_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_prescribed_SOURCES = tests/scenario/test_prescribed.c \
	tests/support/world/scene.c
tests_scenario_test_prescribed_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_prescribed_motion_SOURCES = \
	tests/scenario/test_prescribed_motion.c tests/support/world/scene.c
tests_scenario_test_prescribed_motion_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_resume_SOURCES = tests/scenario/test_resume.c tests/support/world/scene.c
tests_scenario_test_resume_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_scenario_test_resume_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc
