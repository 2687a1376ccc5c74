libcairn_a_SOURCES += engine/base/account.h engine/base/arena.c engine/base/arena.h engine/base/assert.c engine/base/assert.h \
	engine/base/defect.c engine/base/defect.h engine/base/fiber.c engine/base/fiber.h engine/base/hash.c engine/base/hash.h \
	engine/base/limits.h engine/base/little_endian.h engine/base/task.h engine/base/profile.h engine/base/name.c engine/base/name.h engine/base/rng.h engine/base/slots.c engine/base/slots.h engine/base/status.c engine/base/status.h engine/base/union_find.h
