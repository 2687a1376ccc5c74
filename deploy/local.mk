# The installed files besides programs, and the files of a tarball besides their sources.
EXTRA_DIST += deploy/monitoring/grafana-cairn.json deploy/monitoring/prometheus.yml \
	deploy/monitoring/cairn-rules.yml
EXTRA_DIST += deploy/lib.sh deploy/quickstart deploy/systemd/cairnd.service LICENSE CHANGES.md \
	ARCHITECTURE.md docs/access.md docs/rooms.md docs/durability.md docs/timeline.md docs/simulation.md docs/laws.md docs/limits.md docs/memory.md docs/mutants.md docs/certificates.md docs/meshes.md docs/fuzzing.md docs/game.md docs/rules.md docs/views.md docs/logic.md docs/monitoring.md docs/incline.py docs/incline.svg docs/contact-lab.png docs/picture.mjs docs/two-hands.png docs/picture_two.mjs
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = deploy/cairn.pc

# Everything that engine/cairn.h includes; tests/install compiles against the installed copy.
nobase_pkginclude_HEADERS = engine/base/arena.h engine/base/defect.h engine/base/profile.h engine/base/slots.h \
	engine/base/task.h engine/base/limits.h \
	engine/base/status.h engine/cairn.h engine/collide/exact/contact.h engine/collide/exact/manifold.h \
	engine/constraint/row.h engine/curve/curve.h engine/math/aabb.h engine/math/mat33.h \
	engine/math/pose.h engine/math/quat.h engine/math/trig.h engine/math/vec2.h \
	engine/math/vec3.h engine/model/attribute.h engine/model/event.h engine/model/held.h engine/model/joint.h \
	engine/mesh/field.h engine/mesh/mass.h \
	engine/mesh/mesh.h engine/model/model.h engine/model/move.h \
	engine/problem/contact_problem.h engine/shape/polytope.h \
	engine/shape/shape.h engine/solve/solver.h engine/state/image.h engine/state/portable.h \
	engine/step/stepper.h \
	engine/world/advice.h \
	engine/world/command.h engine/world/deep.h engine/world/query.h engine/world/world.h engine/world/world_def.h

# The page, where clients/typescript/build has made it.
page_dist = $(srcdir)/clients/typescript/packages/app/dist
install-data-hook:
	@if test -f $(page_dist)/index.html; then \
	    echo " installing the page in $(DESTDIR)$(pagedir)"; \
	    $(MKDIR_P) "$(DESTDIR)$(pagedir)" && cp -R $(page_dist)/. "$(DESTDIR)$(pagedir)/"; \
	fi
uninstall-hook:
	rm -rf "$(DESTDIR)$(pagedir)"

# The page's sources, without what npm and its build put beside them.
dist-hook:
	cd $(srcdir) && srcdir=. sh tests/lint/files.sh '*' | grep '^clients/typescript/' | \
	    tar -cf - -T - | (cd "$(abs_top_builddir)/$(distdir)" && tar -xf -)
