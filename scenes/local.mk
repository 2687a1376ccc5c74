# The bundled scenes: worlds that a daemon without configuration hosts, and names that cairn knows.
dist_scenes_DATA = scenes/balls-into-a-box.yaml scenes/bar-on-four-legs.yaml \
	scenes/billiards-row.yaml scenes/blocks-in-space.yaml scenes/brick-wall.yaml \
	scenes/card-house.yaml scenes/chain-around-a-pivot.yaml scenes/chain.yaml scenes/contact-1.yaml \
	scenes/contact-2.yaml scenes/contact-3.yaml scenes/contact-4.yaml scenes/contact-5.yaml \
	scenes/contact-6.yaml scenes/cradle-at-once.yaml scenes/curved-objects.yaml \
	scenes/domino-row.yaml scenes/dominoes.yaml scenes/double-pendulum.yaml \
	scenes/dzhanibekov-nut.yaml scenes/five-diamond.yaml scenes/four-balls-on-a-turning-plane.yaml \
	scenes/hexagon-on-a-corner.yaml scenes/machines-in-space.yaml scenes/mars-moon.yaml \
	scenes/milankovitch-arch.yaml scenes/newtons-cradle.yaml scenes/overbalanced-stack.yaml \
	scenes/overhang-of-six.yaml scenes/painleve-rod.yaml scenes/pendulum-and-rods.yaml \
	scenes/pile.yaml scenes/ramp.yaml scenes/rocket.yaml scenes/roller-coaster.yaml \
	scenes/rope.yaml scenes/six-blocks.yaml scenes/spinning-top.yaml scenes/stack.yaml \
	scenes/two-boxes-and-a-wall.yaml scenes/v-groove.yaml scenes/pyramid.yaml scenes/wall-in-space.yaml \
	scenes/drum.yaml scenes/bridge.yaml scenes/heap-in-space.yaml \
	scenes/rings.yaml scenes/rings-1000.yaml scenes/torus-chain.yaml scenes/jacks.yaml \
	scenes/bones.yaml scenes/lift-and-rope.yaml scenes/shapes-with-hollows.yaml

# By the stepper propagation.
dist_scenes_DATA += scenes/billiard-line.yaml scenes/box-flip.yaml scenes/domino-ring.yaml \
	scenes/incline.yaml scenes/rest-on-an-incline.yaml scenes/see-saw.yaml

# With rules.
dist_scenes_DATA += scenes/goal-game.yaml scenes/obstacle-course.yaml scenes/tower-contest.yaml

# The meshes of the scenes, which make.py writes.
scenemeshesdir = $(scenesdir)/meshes
dist_scenemeshes_DATA = scenes/meshes/bone.obj scenes/meshes/ell.obj scenes/meshes/funnel.obj \
	scenes/meshes/jack.obj scenes/meshes/link.obj scenes/meshes/pole.obj
EXTRA_DIST += scenes/meshes/make.py
