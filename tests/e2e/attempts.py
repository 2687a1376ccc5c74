#!/usr/bin/python3
"""attempts.py: runs tests, and repeats a failed one alone.

    attempts.py NAME COMMAND...    the same for a whole runner

A machine that is busy with other work is sometimes too slow for a test.  A test that passes only
the second time is reported as FLAKY, with its first error, and counts as passed; deploy/lib.sh
repeats these lines at the end of a run.  Needs only Python.
"""
import concurrent.futures
import re
import subprocess
import sys
import textwrap
import traceback

SKIPPED = 77
BRIEF_MAX = 300  # characters of an error in a report of one line


def brief(text):
    """The first line with text, or of a runner's output the first that names a failure."""
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]
    named = [line for line in lines if re.match(r"FAIL|not ok", line)]
    return ([*named, *filter(None, lines), "it does not say why"])[0][:BRIEF_MAX]


class Attempts:
    """Tests, each tried by `attempt(test)`, which raises when it fails.

    `clean_up()` is called after every failure and every parallel run: it ends left processes.
    """

    def __init__(self, attempt, clean_up):
        self.attempt, self.clean_up = attempt, clean_up
        self.passed = self.failed = 0

    def _error(self, test):
        try:
            self.attempt(test)
        except Exception as error:  # a failed test must not end the others
            return error
        return None

    def _ok(self, name):
        self.passed += 1
        print(f"ok {name}", flush=True)

    def _again(self, name, test, first):
        text = "".join(traceback.format_exception(type(first), first, first.__traceback__))
        print(f"     {name}, the first time:\n{textwrap.indent(text, '    | ')}", flush=True)
        self.clean_up()
        second = self._error(test)
        what = brief(f"{type(first).__name__}: {first}")
        if second is None:
            self.passed += 1
            print(f"FLAKY {name}, at first: {what}", flush=True)
            return
        self.failed += 1
        text = "".join(traceback.format_exception(type(second), second, second.__traceback__))
        print(f"FAILED {name} (at first: {what})\n{text}", flush=True)
        self.clean_up()

    def run(self, tests):
        """Runs (name, test) pairs one after the other."""
        for name, test in tests:
            error = self._error(test)
            if error is None:
                self._ok(name)
            else:
                self._again(name, test, error)

    def run_together(self, tests):
        """Runs all at once, then repeats the failed ones one at a time."""
        def first(item):
            error = self._error(item[1])
            if error is None:
                self._ok(item[0])
            return error
        with concurrent.futures.ThreadPoolExecutor(max(1, len(tests))) as pool:
            errors = list(pool.map(first, tests))
        self.clean_up()
        for (name, test), error in zip(tests, errors):
            if error is not None:
                self._again(name, test, error)

    def finish(self):
        """Prints the last line and returns the exit status."""
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def run_command(name, words):
    """Runs a runner, shows its output as it comes, and returns its exit status."""
    def once():
        lines = []
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace") as process:
            for line in process.stdout:
                lines.append(line)
                print(line, end="", flush=True)
        return process.returncode, "".join(lines)
    status, text = once()
    if status in (0, SKIPPED):
        return status
    print(f"     {name}: once more", flush=True)
    status, _ = once()
    if status == 0:
        print(f"FLAKY {name}, at first: {brief(text)}", flush=True)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(run_command(sys.argv[1], sys.argv[2:]))
