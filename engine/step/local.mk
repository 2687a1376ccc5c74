libcairn_a_SOURCES += engine/step/advance.c engine/step/advance.h engine/step/answer.c engine/step/answer.h \
	engine/step/event/event.c engine/step/event/event.h engine/step/event/event_bounds.c \
	engine/step/event/event_drift.c engine/step/event/event_energy.c \
	engine/step/event/event_friction.c engine/step/event/event_impact.c engine/step/event/event_integrate.c \
	engine/step/event/event_rates.c engine/step/event/event_restitution.c engine/step/event/event_rows.c \
	engine/step/event/event_scratch.c engine/step/event/event_search.c \
	engine/step/event/event_slip.c engine/step/event/event_solve.c engine/step/march/march.c \
	engine/step/march/march.h engine/step/march/march_energy.c engine/step/march/march_rows.c \
	engine/step/march/march_scratch.c engine/step/march/march_view.c \
	engine/step/memory.c engine/step/memory.h \
	engine/step/one_way.c engine/step/one_way.h engine/step/pairs.c engine/step/pairs.h \
	engine/step/pipeline/pipeline.c engine/step/pipeline/pipeline.h \
	engine/step/pipeline/pipeline_bounce.c engine/step/pipeline/pipeline_boxes.c \
	engine/step/pipeline/pipeline_batches.c \
	engine/step/pipeline/pipeline_calm.c engine/step/pipeline/pipeline_color.c \
	engine/step/pipeline/pipeline_continuous.c engine/step/pipeline/pipeline_deep.c \
	engine/step/pipeline/pipeline_events.c engine/step/pipeline/pipeline_derive.c \
	engine/step/pipeline/pipeline_finish.c engine/step/pipeline/pipeline_gather.c \
	engine/step/pipeline/pipeline_memory.c \
	engine/step/pipeline/pipeline_meshes.c engine/step/pipeline/pipeline_state.h \
	engine/step/pipeline/pipeline_touch.c \
	engine/step/pipeline/pipeline_inside.h engine/step/pipeline/pipeline_joints.c engine/step/pipeline/pipeline_pairs.c \
	engine/step/pipeline/pipeline_pieces.c \
	engine/step/pipeline/pipeline_planar.c engine/step/pipeline/pipeline_sleep.c \
	engine/step/pipeline/pipeline_drags.c engine/step/pipeline/pipeline_moving.c engine/step/pipeline/pipeline_moving.h \
	engine/step/pipeline/pipeline_energy.c engine/step/pipeline/pipeline_energy.h \
	engine/step/pipeline/pipeline_again.c \
	engine/step/pipeline/pipeline_solve.c \
	engine/step/pipeline/pipeline_spatial.c engine/step/pipeline/pipeline_springs.c \
	engine/step/march/position.c engine/step/pipeline/sleep.c engine/step/pipeline/sleep.h \
	engine/step/pipeline/asleep.c engine/step/pipeline/asleep.h engine/step/sensor.c engine/step/sensor.h engine/step/stepper.h engine/step/stepper_table.c \
	engine/step/stepper_table.h engine/step/march/time.c

# Fast bodies.
libcairn_a_SOURCES += engine/step/pipeline/continuous.c engine/step/pipeline/continuous.h

# Impulses from pair to pair.
libcairn_a_SOURCES += engine/step/propagation/contact_graph.c engine/step/propagation/contact_graph.h \
	engine/step/propagation/propagation.c engine/step/propagation/propagation.h engine/step/propagation/propagation_collide.c \
	engine/step/propagation/propagation_contact.c engine/step/propagation/propagation_energy.c \
	engine/step/propagation/propagation_find.c \
	engine/step/propagation/propagation_joint.c engine/step/propagation/propagation_levels.c \
	engine/step/propagation/propagation_part.c engine/step/propagation/propagation_scratch.c \
	engine/step/propagation/propagation_show.c
if SIMD_X86
noinst_LIBRARIES += libpropagation_avx2.a
libpropagation_avx2_a_SOURCES = engine/step/propagation/propagation_collide_avx2.c \
	engine/step/propagation/propagation_contact_avx2.c engine/step/propagation/propagation_part_avx2.c
libpropagation_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2
libcairn_a_LIBADD += $(libpropagation_avx2_a_OBJECTS)
endif
EXTRA_DIST += engine/step/propagation/propagation_collide_avx2.c engine/step/propagation/propagation_contact_avx2.c \
	engine/step/propagation/propagation_part_avx2.c

EXTRA_DIST += engine/step/README.md \
	engine/step/event/README.md \
	engine/step/march/README.md \
	engine/step/pipeline/README.md \
	engine/step/propagation/README.md
