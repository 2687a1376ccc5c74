#!/bin/sh
# test_cli.sh: the command as users and scripts call it: texts, exit codes, bundled scenes.
set -u
source=${srcdir:-.}
cairn=${CAIRN:-./cairn}
CAIRN_SCENES=$source/scenes
export CAIRN_SCENES
# shellcheck source=tests/unit/clients/expect.sh
. "$source/tests/unit/clients/expect.sh"

cat >"$folder/block.yaml" <<'END'
bodies:
  - {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 9, y: 1}}}]}
  - {name: block, mass: 2, position: {y: 0.5}, shapes: [{box: {size: {x: 1, y: 1}}}]}
END
sed 's/mass: 2/mass: -2/' "$folder/block.yaml" >"$folder/bad.yaml"

expect 2 "usage: cairn COMMAND" "$cairn"
expect 0 "usage: cairn COMMAND" "$cairn" --help
expect 0 "usage: cairn run" "$cairn" help run
expect 0 "usage: cairn run" "$cairn" run --help
expect 0 "cairn 0." "$cairn" --version
expect 0 ".TH CAIRN 1" "$cairn" --help-man
expect 2 'there is no command "rnu"; did you mean "run"?' "$cairn" rnu
expect 2 'did you mean "validate"?' "$cairn" help valdate
expect 2 "usage: cairn run [OPTION]... SCENE" "$cairn" run
expect 2 "did you mean --ticks?" "$cairn" run --tick 3 "$folder/block.yaml"
expect 2 "validate has no option --ticks" "$cairn" validate --ticks 3 "$folder/block.yaml"
expect 2 "--ticks wants a value" "$cairn" run "$folder/block.yaml" --ticks
expect 2 '--ticks is "-1"' "$cairn" run "$folder/block.yaml" --ticks=-1
expect 2 '--ticks is "12x"' "$cairn" run "$folder/block.yaml" --ticks 12x
expect 2 "--sample-every is 0" "$cairn" run "$folder/block.yaml" --sample-every 0
expect 2 '--format is "xml"' "$cairn" run "$folder/block.yaml" --format xml
expect 2 '--solver: is "baraff49"' "$cairn" run "$folder/block.yaml" --solver baraff49
expect 2 '--stepper: is "evnt"; there is event, time, position, propagation; did you mean "event"?' \
    "$cairn" run "$folder/block.yaml" --stepper evnt
expect 2 'did you mean "stack"?' "$cairn" run stak
expect 3 "can not open" "$cairn" run "$folder/none.yaml"
expect 3 "can not read" "$cairn" run "$folder"
expect 3 "can not open" "$cairn" run "$folder/block.yaml" --out "$folder/none/out"
expect 2 "bad.yaml:3:25: bodies[1].mass: is -2" "$cairn" run "$folder/bad.yaml"
expect 2 "bad.yaml:3:25: bodies[1].mass: is -2" "$cairn" validate "$folder/bad.yaml"
expect 2 "block.yaml: good: 2 bodies" "$cairn" validate "$folder/bad.yaml" "$folder/block.yaml"
expect 0 "block.yaml: good: 2 bodies" "$cairn" validate "$folder/block.yaml"
sed '1i materials: [{name: wood, friction: 0.5}]' "$folder/block.yaml" >"$folder/rough.yaml"
expect 0 "rough.yaml: good: 2 bodies" "$cairn" validate "$folder/rough.yaml"
sed '1i world: {solver: baraff89}' "$folder/rough.yaml" >"$folder/smooth.yaml"
expect 2 'world.solver: is "baraff89", which has no friction' "$cairn" validate "$folder/smooth.yaml"
expect 2 'solver: is "baraff89", which has no friction' \
    "$cairn" run "$folder/rough.yaml" --solver baraff89
expect 0 '"guesses": {"nothingParts": 1, "predicted": 0, "fallback": 0, "power": 0}' \
    "$cairn" run "$folder/block.yaml" --solver baraff89 --ticks 60
expect 0 "baraff94 " "$cairn" list solvers

# Static friction, which the solver impulse does not use.
for solver in impulse newton; do
    sed "1i world: {stepper: time, solver: $solver}" "$folder/rough.yaml" |
        sed 's/friction: 0.5/friction: 0.5, staticFriction: 0.7/' >"$folder/grip_$solver.yaml"
done
expect 0 "note: materials[0] has staticFriction 0.7; the solver impulse does not use it" \
    "$cairn" validate "$folder/grip_impulse.yaml"
expect 0 "1 " sh -c "'$cairn' validate '$folder/grip_newton.yaml' | wc -l | sed 's/\$/ /'"

# Words that are programs of their own.
expect 2 "cairn: load is a program of its own: run cairn-load" "$cairn" load --bots 3
expect 2 "cairn: bench is a program of its own: run cairn-bench" "$cairn" help bench
expect 0 "1 " sh -c "'$cairn' bench rings 2>&1 | wc -l | sed 's/\$/ /'"

expect 2 "there is one of solvers, steppers, shapes, joints, scenes, events, commands" \
    "$cairn" list everything
expect 0 "event " "$cairn" list steppers
expect 0 "polygon " "$cairn" list shapes
expect 0 "rope  " "$cairn" list joints
expect 0 "\"kind\": \"hinge\", \"bodyA\": null, \"bodyB\": \"upper\"" \
    "$cairn" run double-pendulum --ticks 1
expect 0 "impactLimit " "$cairn" list events
expect 0 "hold_drag " "$cairn" list commands
expect 0 "newtons-cradle " "$cairn" list scenes
expect 2 'did you mean "scenes"?' "$cairn" list scene
if [ -w /dev/full ]; then
    expect 3 "can not write" sh -c "'$cairn' run '$folder/block.yaml' >/dev/full"
    expect 3 "can not write" sh -c "'$cairn' --help >/dev/full"
fi

# A check: texts, exit codes, and certificates that are read back.
cat >"$folder/tower.yaml" <<'END'
world: {gravity: {y: -1}}
bodies:
  - {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 9, y: 1}}}]}
  - {name: lower, position: {y: 0.5}, shapes: [{box: {size: {x: 1, y: 1}}}]}
  - {name: upper, position: {x: 0.3333333333333333, y: 1.5}, shapes: [{box: {size: {x: 1, y: 1}}}]}
END
sed 's/0.3333333333333333/0.5/' "$folder/tower.yaml" >"$folder/edge.yaml"
sed 's/0.3333333333333333/0.75/' "$folder/tower.yaml" >"$folder/over.yaml"
expect 0 '"verdict": "stable"' "$cairn" check "$folder/tower.yaml" --format json
expect 0 '"margin": "1/4"' "$cairn" check "$folder/tower.yaml" --format=json
expect 0 'margin 0.25 (1/4) N, of a weight of 2 N' "$cairn" check "$folder/tower.yaml"
expect 0 'the contacts hold every weight' "$cairn" check "$folder/tower.yaml"
expect 0 'critical: stands' "$cairn" check "$folder/edge.yaml" --format text
expect 1 'unstable: falls' "$cairn" check "$folder/over.yaml" --format text
expect 1 'upper: y -0.272727273 (-3/11) m/s^2 turns' "$cairn" check "$folder/over.yaml" --start
expect 1 'the motion that proves it moves 1 body: upper' "$cairn" check "$folder/over.yaml"
expect 1 '"start": false' "$cairn" check "$folder/over.yaml" --format json
expect 1 '"start": true' "$cairn" check "$folder/over.yaml" --format json --start
expect 2 "overlaps bodies[1] by 0.25 m" sh -c \
    "sed 's/y: 1.5/y: 1.25/' '$folder/tower.yaml' | '$cairn' check -"
expect 2 '--side-contacts is "maybe"; yes or no' "$cairn" check --side-contacts maybe x
expect 2 'usage: cairn check [OPTION]... SCENE' "$cairn" check
for word in tower edge over; do
    "$cairn" check "$folder/$word.yaml" --start --out "$folder/$word.json" >"$folder/text"
    expect 0 "proved: " "$cairn" check "$folder/$word.yaml" --verify "$folder/$word.json"
done
expect 1 "not proved: " "$cairn" check "$folder/over.yaml" --verify "$folder/edge.json"
expect 1 "not proved: " "$cairn" check "$folder/over.yaml" --verify "$folder/over.yaml"
expect 3 "can not read" "$cairn" check "$folder/over.yaml" --verify "$folder/none.json"

# Samples: the start, every third tick, and the last.
"$cairn" run "$folder/block.yaml" --ticks 7 --sample-every 3 --out "$folder/out"
expect 0 "0 3 6 7 " sh -c "sed 's/{\"tick\": \([0-9]*\),.*/\1/' '$folder/out' | tr '\n' ' '"
expect 0 '"normal": {"x": 0, "y": 1}' head -n 1 "$folder/out"
expect 0 '"bodyA": "floor", "bodyB": "block"' head -n 1 "$folder/out"
expect 0 '"events": [], "hash": "' head -n 1 "$folder/out"
expect 0 "0,0,block,0,0.5,0,0,0,0" "$cairn" run "$folder/block.yaml" --format csv --ticks 0
expect 0 "angularVelocity,accelerationX,accelerationY,angularAcceleration" \
    "$cairn" run "$folder/block.yaml" --format csv --ticks 0
expect 2 "json, csv or csv-joints is accepted" "$cairn" run "$folder/block.yaml" --format cs
cat >"$folder/hung.yaml" <<'END'
world: {gravity: {y: -10}}
bodies: [{name: bob, mass: 2, position: {y: -1}, shapes: [{circle: {radius: 0.1}}]}]
joints: [{rope: {bodyB: bob, anchorB: {y: -1}}, name: string}]
END
expect 0 "0,0,string,0,-1,0,20,0,0,0" "$cairn" run "$folder/hung.yaml" --format csv-joints --ticks 0
expect 0 '"force": {"x": 0, "y": 20}' "$cairn" run "$folder/hung.yaml" --ticks 0
expect 0 '"acceleration": {"x": 0, "y": 0}' "$cairn" run "$folder/hung.yaml" --ticks 0
expect 0 "tick,time,body,x,y,angle" "$cairn" run "$folder/block.yaml" --format=csv --ticks 1
expect 0 "0,0,floor," sh -c "'$cairn' run - --format csv --ticks 0 <'$folder/block.yaml'"

# Two runs give the same bytes.
"$cairn" run contact-3 --ticks 120 >"$folder/one"
"$cairn" run contact-3 --ticks 120 >"$folder/two"
expect 0 "same" sh -c "cmp '$folder/one' '$folder/two' && echo same"
expect 0 "121" sh -c "wc -l <'$folder/one'"

# Every bundled scene is good, is listed with a title, and runs.
for file in "$CAIRN_SCENES"/*.yaml; do
    name=$(basename "$file" .yaml)
    expect 0 ": good: " "$cairn" validate "$name"
    expect 0 '"tick": 20' "$cairn" run "$name" --ticks 20 --sample-every 20
    expect 0 "name: $name" head -n 1 "$file"
    expect 0 "$name " sh -c "'$cairn' list scenes | grep '^$name  *[A-Z]'"
done

cat >"$folder/fall.yaml" <<END
name: fall
world: {stepper: time, solver: impulse}
bodies:
  - {name: ball, mass: 1, position: {y: 2}, shapes: [{circle: {radius: 0.5}}]}
END
# query: a ray, a moved ball, a placed box; no hit; invalid queries
expect 0 "block                shape 0  at 0.4 of the way, point 0, 1, normal 0, 1" \
    "$cairn" query "$folder/block.yaml" --from 0,5 --along 0,-10 --hits 1
expect 0 '"kind":"cast","hits":[{"body":"block","shape":0,"fraction":0.35' \
    sh -c "'$cairn' query '$folder/block.yaml' --from 0,5 --along 0,-10 --ball 0.5 --json |
        tr -d ' '"
expect 0 '{"tick":3,"kind":"overlap","hits":[{"body":"floor","shape":0}]}' \
    sh -c "'$cairn' query '$folder/block.yaml' --from 3,0 --box 1,0.5 --ticks 3 --json | tr -d ' '"
expect 0 '"tick":0,"kind":"ray","hits":[{"body":"ball","shape":0,"fraction":0.25' \
    sh -c "'$cairn' query '$folder/fall.yaml' --from 0,5 --along 0,-10 --ticks 30 --tick 0 --json |
        tr -d ' '"
expect 0 '"tick":10,' sh -c "'$cairn' query '$folder/fall.yaml' --from 0,5 --along 0,-10 \
    --ticks 30 --age 333 --json | tr -d ' '"
expect 2 "the query's tick is 31, which is to come" "$cairn" query "$folder/fall.yaml" \
    --from 0,5 --along 0,-10 --ticks 30 --tick 31
expect 2 "the query's tick is 29; at tick 90 the last 60 ticks are remembered, from 30" \
    "$cairn" query "$folder/fall.yaml" --from 0,5 --along 0,-10 --ticks 90 --tick 29
expect 2 "--age is 1001; at most 1000 ms" "$cairn" query "$folder/fall.yaml" --from 0,5 \
    --along 0,-10 --ticks 90 --age 1001
expect 2 "--tick and --age are given" "$cairn" query "$folder/fall.yaml" --from 0,5 \
    --along 0,-10 --tick 0 --age 0
expect 1 "nothing" "$cairn" query "$folder/block.yaml" --from 0,5 --along 0,1
expect 2 "a query wants --from" "$cairn" query "$folder/block.yaml" --from 0,5
expect 2 '--along is "1;2"' "$cairn" query "$folder/block.yaml" --from 0,5 --along '1;2'
expect 2 '--ball is "1,2"' "$cairn" query "$folder/block.yaml" --from 0,5 --ball 1,2
expect 2 "--ball and --box are given" \
    "$cairn" query "$folder/block.yaml" --from 0,5 --ball 1 --box 1,1
expect 2 "the query's hitMax is 0" "$cairn" query "$folder/block.yaml" --from 0,5 --ball 1 --hits 0

expect_end
