geometry_tests = \
	tests/unit/engine/math/test_trig \
	tests/unit/engine/math/test_hilbert \
	tests/unit/engine/shape/test_outline \
	tests/unit/engine/collide/test_borders \
	tests/unit/engine/shape/test_shape \
	tests/unit/engine/shape/test_shape_space \
	tests/unit/engine/shape/test_hull \
	tests/unit/engine/collide/test_collide \
	tests/unit/engine/collide/test_collide_laws \
	tests/unit/engine/collide/test_collide_space \
	tests/unit/engine/collide/test_collide_space_laws \
	tests/unit/engine/collide/test_broadphase \
	tests/unit/engine/collide/test_proximity \
	tests/unit/engine/mesh/test_field \
	tests/unit/engine/mesh/test_field_bake \
	tests/unit/engine/mesh/test_field_float
check_PROGRAMS += $(geometry_tests)
TESTS += $(geometry_tests)

tests_unit_engine_math_test_hilbert_SOURCES = tests/unit/engine/math/test_hilbert.c
tests_unit_engine_math_test_hilbert_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_math_test_trig_SOURCES = tests/unit/engine/math/test_trig.c \
	tests/support/near.h
tests_unit_engine_math_test_trig_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_shape_test_shape_SOURCES = tests/unit/engine/shape/test_shape.c \
	tests/support/near.h
tests_unit_engine_shape_test_shape_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_collide_SOURCES = tests/unit/engine/collide/test_collide.c \
	tests/support/near.h tests/support/collide/shapes.h
tests_unit_engine_collide_test_collide_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_collide_laws_SOURCES = tests/unit/engine/collide/test_collide_laws.c \
	tests/support/near.h tests/support/collide/shapes.h
tests_unit_engine_collide_test_collide_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_broadphase_SOURCES = tests/unit/engine/collide/test_broadphase.c \
	tests/support/near.h
tests_unit_engine_collide_test_broadphase_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_proximity_SOURCES = tests/unit/engine/collide/test_proximity.c
tests_unit_engine_collide_test_proximity_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_shape_test_shape_space_SOURCES = tests/unit/engine/shape/test_shape_space.c \
	tests/support/near.h
tests_unit_engine_shape_test_shape_space_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_shape_test_hull_SOURCES = tests/unit/engine/shape/test_hull.c \
	tests/support/near.h
tests_unit_engine_shape_test_hull_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_collide_space_SOURCES = \
	tests/unit/engine/collide/test_collide_space.c tests/support/near.h \
	tests/support/collide/solids.h
tests_unit_engine_collide_test_collide_space_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_collide_space_laws_SOURCES = \
	tests/unit/engine/collide/test_collide_space_laws.c tests/support/near.h \
	tests/support/collide/solid_oracle.h tests/support/collide/solids.h
tests_unit_engine_collide_test_collide_space_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_shape_test_outline_SOURCES = tests/unit/engine/shape/test_outline.c
tests_unit_engine_shape_test_outline_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_collide_test_borders_SOURCES = tests/unit/engine/collide/test_borders.c \
	tests/support/world/scene.c tests/support/collide/shapes.h
tests_unit_engine_collide_test_borders_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

fast_spatial_tests = tests/unit/engine/collide/test_fast_spatial \
	tests/unit/engine/collide/test_fast_base \
	tests/unit/engine/collide/test_fast_spatial_laws \
	tests/unit/engine/collide/test_fast_spatial_mesh
check_PROGRAMS += $(fast_spatial_tests)
TESTS += $(fast_spatial_tests)
tests_unit_engine_collide_test_fast_base_SOURCES = \
	tests/unit/engine/collide/test_fast_base.c tests/support/near.h
tests_unit_engine_collide_test_fast_base_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_fast_spatial_SOURCES = \
	tests/unit/engine/collide/test_fast_spatial.c tests/support/collide/fast_solids.h \
	tests/support/near.h tests/support/collide/solids.h
tests_unit_engine_collide_test_fast_spatial_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_fast_spatial_laws_SOURCES = \
	tests/unit/engine/collide/test_fast_spatial_laws.c tests/support/collide/fast_solids.h \
	tests/support/near.h tests/support/collide/solids.h
tests_unit_engine_collide_test_fast_spatial_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_fast_spatial_mesh_SOURCES = \
	tests/unit/engine/collide/test_fast_spatial_mesh.c
tests_unit_engine_collide_test_fast_spatial_mesh_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_mesh_test_field_SOURCES = tests/unit/engine/mesh/test_field.c \
	tests/support/mesh/hand_field.h tests/support/near.h
tests_unit_engine_mesh_test_field_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_mesh_test_field_float_SOURCES = tests/unit/engine/mesh/test_field_float.c \
	tests/support/mesh/hand_field.h tests/support/near.h
tests_unit_engine_mesh_test_field_float_LDADD = libfield_look.a libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_mesh_test_field_bake_SOURCES = tests/unit/engine/mesh/test_field_bake.c \
	tests/support/mesh/brute_distance.h tests/support/mesh/bumpy.h tests/support/mesh/meshes.h \
	tests/support/near.h
tests_unit_engine_mesh_test_field_bake_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
