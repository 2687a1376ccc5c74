#!/usr/bin/env python3
"""Writes variants.json: statements of the truth set's kinds with other numbers.

usage: run.py > ../data/variants.json

Every answer is derived here, from closed forms, exact arithmetic or a Runge-Kutta integration far
below the tolerance; no code of the engine is used.  The numbers do not change from run to run.
"""
import json
import sys

import faure
import impacts
import mesh
import motion
import rote
import statics
import velocity

CASES = (
    statics.incline, statics.block, statics.chain, statics.heuristic, statics.infeasible,
    statics.legs, statics.rows_of_contacts, statics.small,
    impacts.row_of_balls, impacts.blocks, impacts.collide, impacts.gains, impacts.sweeps,
    impacts.seesaw, rote.theorem51, rote.theorem71, rote.masses,
    lambda: rote.overbalanced(statics.heuristic_of),
    motion.falls, motion.inclines, motion.boxes, motion.rolling, motion.toppling, motion.swings,
    motion.spins, motion.painleve, motion.arches, faure.bars, faure.cycles, faure.turntables,
    mesh.solids, mesh.properties,
)


def main():
    cases = [case for make in CASES for case in make()]
    data = dict(cases=cases, towers=list(rote.towers()), lcp=list(statics.matrices()),
                fc3d=list(velocity.problems()), overhang_table=[])
    ids = [entry["id"] for section in data.values() for entry in section]
    assert len(ids) == len(set(ids))
    sys.stdout.write("{\n")
    for k, (section, entries) in enumerate(data.items()):
        lines = ",\n".join(json.dumps(entry) for entry in entries)
        sys.stdout.write('"%s": [\n%s]%s\n' % (section, lines, "," if k < 4 else ""))
    sys.stdout.write("}\n")


if __name__ == "__main__":
    main()
