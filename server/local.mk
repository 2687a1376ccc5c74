include proto/codec.mk

noinst_LIBRARIES += libcairnserver.a
libcairnserver_a_SOURCES = server/base/limits.h server/base/rate.h \
	server/base/clock.h server/base/clock.c server/base/log.h server/base/log.c \
	server/base/buffer.h server/base/buffer.c server/base/metrics.h server/base/metrics.c \
	server/base/disk.h server/base/disk_real.c server/base/disk_sim.c \
	server/base/config.h server/base/config.c server/base/config_print.c
