mesh_tests = tests/unit/engine/mesh/test_mesh tests/unit/engine/mesh/test_mend \
	tests/unit/engine/mesh/test_sample
check_PROGRAMS += $(mesh_tests)
TESTS += $(mesh_tests)
tests_unit_engine_mesh_test_mesh_SOURCES = tests/unit/engine/mesh/test_mesh.c \
	tests/support/mesh/meshes.h tests/support/near.h
tests_unit_engine_mesh_test_mesh_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_mesh_test_sample_SOURCES = tests/unit/engine/mesh/test_sample.c \
	tests/support/mesh/meshes.h
tests_unit_engine_mesh_test_sample_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_mesh_test_mend_SOURCES = tests/unit/engine/mesh/test_mend.c \
	tests/support/mesh/meshes.h tests/support/near.h
tests_unit_engine_mesh_test_mend_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
