"""knots.py: circles of includes and knots of calls; see knots.sh.

A node of the first graph is a module: x.c with x.h (and x.inc).  Its edges are includes.  A node of
the second graph is a .c file.  It has an edge to another one whose function or constant it names.
Both are read from the text, so that the lint needs no build: the project's definitions begin in the
first column, and their names have a prefix.  A name that several files define makes no edge.
"""
import os
import re
import sys

BUDGET = "tests/lint/knots_budget.txt"
HEAD = """# knots_budget.txt: modules in circles of includes and files in knots of calls, by folder.
#
# A number only falls: tests/lint/knots.sh --lower writes the present numbers where they are lower.
# `largest` is the size of the largest circle and of the largest knot.
"""

NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.M)
WORD = re.compile(r"[A-Za-z_]\w{3,}")
FUNCTION = re.compile(r"^([a-z][a-z0-9]*_\w+)\([^;{}]*\)\s*\{", re.M)
DATA = re.compile(
    r"^(?!static|typedef|extern)[a-z][\w \t*]*?[ \t*]([a-z][a-z0-9]*_\w+)(?:\[[^\]]*\])*\s*=", re.M)


def components(graph):
    """Strongly connected components of more than one node (Tarjan, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, edges = work[-1]
            for other in edges:
                if other not in graph:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    if len(group) > 1:
                        found.append(sorted(group))
    return sorted(found, key=lambda group: (-len(group), group))


def is_static(text, start):
    """Whether the definition whose name begins at `start` has `static` on the line before."""
    before = text.rfind("\n", 0, max(start - 1, 0))
    return "static" in text[before + 1:start].split()


def read_graphs(paths):
    modules, names, homes, bare = {}, {}, {}, {}
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        modules.setdefault(os.path.splitext(path)[0], set()).update(
            os.path.splitext(name)[0] for name in INCLUDE.findall(text))
        if path.endswith(".c"):
            bare[path] = NOISE.sub(" ", text)
    for path, text in bare.items():
        for pattern in (FUNCTION, DATA):
            for match in pattern.finditer(text):
                if not is_static(text, match.start()):
                    homes.setdefault(match.group(1), set()).add(path)
        names[path] = set(WORD.findall(text))
    for name in modules:
        modules[name].discard(name)
    owner = {name: next(iter(files)) for name, files in homes.items() if len(files) == 1}
    calls = {}
    for path, words in names.items():
        calls[path] = {owner[word] for word in words if word in owner} - {path}
    return {"circle": modules, "knot": calls}


def count(found):
    """{(kind, folder): files}, with the largest of each kind."""
    numbers = {}
    for kind, groups in found.items():
        numbers[(kind, "largest")] = max((len(group) for group in groups), default=1)
        for group in groups:
            for path in group:
                key = (kind, os.path.dirname(path))
                numbers[key] = numbers.get(key, 0) + 1
    return numbers


def read_budget():
    budget = {}
    if os.path.exists(BUDGET):
        with open(BUDGET, encoding="utf-8") as file:
            for line in file:
                if not line.startswith("#") and line.strip():
                    kind, folder, number = line.split()
                    budget[(kind, folder)] = int(number)
    return budget


def write_budget(budget):
    with open(BUDGET, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for (kind, folder), number in sorted(budget.items()):
            file.write(f"{kind:<8}{folder:<25} {number}\n")


def list_groups(found, graphs):
    for kind, groups in found.items():
        for group in groups:
            print(f"{kind} of {len(group)}:")
            for path in group:
                print(f"    {path} -> {' '.join(sorted(graphs[kind][path] & set(group)))}")


def main():
    graphs = read_graphs([line.rstrip("\n") for line in sys.stdin])
    found = {kind: components(graph) for kind, graph in graphs.items()}
    numbers, budget = count(found), read_budget()
    if "--list" in sys.argv:
        list_groups(found, graphs)
    is_bad, has_room = False, False
    for key in sorted(set(numbers) | set(budget)):
        number = numbers.get(key, 0)
        allowed = budget.get(key, 1 if key[1] == "largest" else 0)
        if number > allowed:
            is_bad = True
            print(f"knots: {key[1]}: {key[0]} is {number}; its budget is {allowed}"
                  " (tests/lint/knots.sh --list shows the groups)")
        elif number < allowed:
            has_room = True
    if "--lower" in sys.argv:
        write_budget({key: min(numbers.get(key, 0), allowed) for key, allowed in budget.items()
                      if key in numbers})
        print("knots: budgets lowered")
    elif has_room:
        print("knots: budgets can be lowered (tests/lint/knots.sh --lower)")
    for kind, thing in (("circle", "modules"), ("knot", "files")):
        members = sum(len(group) for group in found[kind])
        print(f"knots: {len(found[kind])} {kind}s with {members} of {len(graphs[kind])} {thing},"
              f" the largest of {numbers[(kind, 'largest')]}")
    return 1 if is_bad else 0


sys.exit(main())
