query_tests = tests/unit/engine/world/test_query tests/unit/engine/world/test_deep tests/unit/engine/world/test_rewind \
	tests/unit/engine/step/test_continuous \
	tests/unit/engine/collide/test_toi tests/unit/engine/collide/test_cast \
	tests/unit/engine/collide/test_flat tests/unit/engine/collide/test_gjk
check_PROGRAMS += $(query_tests)
TESTS += $(query_tests)

tests_unit_engine_collide_test_flat_SOURCES = tests/unit/engine/collide/test_flat.c \
	tests/support/near.h
tests_unit_engine_collide_test_flat_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_gjk_SOURCES = tests/unit/engine/collide/test_gjk.c \
	tests/support/near.h tests/support/collide/shapes.h tests/support/collide/solid_oracle.h \
	tests/support/collide/solids.h
tests_unit_engine_collide_test_gjk_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_cast_SOURCES = tests/unit/engine/collide/test_cast.c \
	tests/support/near.h tests/support/collide/shapes.h tests/support/collide/solids.h
tests_unit_engine_collide_test_cast_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_toi_SOURCES = tests/unit/engine/collide/test_toi.c \
	tests/support/near.h tests/support/collide/shapes.h tests/support/collide/solids.h
tests_unit_engine_collide_test_toi_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_step_test_continuous_SOURCES = tests/unit/engine/step/test_continuous.c \
	tests/support/near.h tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_step_test_continuous_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_world_test_deep_SOURCES = tests/unit/engine/world/test_deep.c \
	tests/support/near.h tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_deep_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_world_test_query_SOURCES = tests/unit/engine/world/test_query.c \
	tests/support/near.h tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_query_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_world_test_rewind_SOURCES = tests/unit/engine/world/test_rewind.c \
	tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_rewind_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

# Worlds of the production solver, in which nothing passes a wall.
check_PROGRAMS += tests/scenario/test_fast
TESTS += tests/scenario/test_fast
tests_scenario_test_fast_SOURCES = tests/scenario/test_fast.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_scenario_test_fast_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
