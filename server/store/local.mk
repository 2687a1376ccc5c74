# The stored data of the daemon, which outlives its process.
libcairnserver_a_SOURCES += server/store/fault.h server/store/fault.c server/store/crc32c.h \
	server/store/crc32c.c server/store/record.h server/store/record.c server/store/lane.h \
	server/store/lane_inside.h server/store/lane.c server/store/checkpoint.h \
	server/store/checkpoint.c server/store/journal.h server/store/journal_sqlite.c \
	server/store/journal_memory.h server/store/journal_memory.c server/store/sentry.h \
	server/store/sentry.c server/store/watermark.h server/store/watermark.c \
	server/store/manifest.h server/store/manifest.c server/store/worlds.h \
	server/store/worlds.c server/store/retention.h \
	server/store/retention.c server/store/history.h server/store/history.c server/store/store.h server/store/store_inside.h \
	server/store/store.c server/store/store_open.c server/store/store_journal.c \
	server/store/store_keeper.c server/store/store_thread.c server/store/store_tasks.c server/store/store_config.h server/store/content.h server/store/content.c server/store/recovery.c \
	server/store/recording.h server/store/recording.c server/store/scrub.h \
	server/store/scrub.c server/store/store_scrub.c server/store/backup.h server/store/backup.c server/store/journal_copy.c
