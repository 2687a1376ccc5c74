# Log entries: their bytes, and how they act on an engine.
deed_sources = deed/apply.c deed/apply.h deed/change.c deed/change.h deed/entry.c deed/entry.h deed/fields.c deed/fields.h \
	deed/follower.c deed/follower.h deed/kept.h deed/lease.h deed/settings.c deed/settings.h \
	deed/rules/collect.c deed/rules/effect.c deed/rules/follow.c deed/rules/follow.h \
	deed/rules/inside.h deed/rules/rules.c deed/rules/rules.h deed/rules/subject.c deed/value.h
noinst_LIBRARIES += libcairndeed.a
libcairndeed_a_SOURCES = $(deed_sources)
libcairndeed_a_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

EXTRA_DIST += deed/README.md deed/rules/README.md
