"""shim.py: programs that run with shim.c before the C library, and the report of shim.c."""
import mmap
import os
import struct
import subprocess

SHIM = os.environ.get("FAULTS_SHIM", os.path.join(os.getcwd(), "tests", "faults", "shim.so"))
HERE = os.path.dirname(os.path.abspath(__file__))
ASAN_STATUS = 99
# For a program with gcc's AddressSanitizer, whose malloc is in a library: it is loaded after
# shim.c, and reports all memory that is not freed, that of libraries, too.
ASAN = {"ASAN_OPTIONS": f"verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=1:"
                        f"fast_unwind_on_malloc=0:exitcode={ASAN_STATUS}",
        "LSAN_OPTIONS": "print_suppressions=0:suppressions=" + os.path.join(HERE, "leaks"),
        "FAULTS_BLOCKS": "", "FAULTS_FILL": ""}


def has_asan(program):
    return "libasan" in subprocess.run(["ldd", program], capture_output=True, text=True).stdout


class Site:
    """A place of a call: its number, its name, its stack, and its number of calls."""

    def __init__(self, number, name, frames):
        self.number, self.name, self.frames, self.calls = number, name, frames, 0


class Fault:
    """The `call`-th call at a site fails with errno `how`, or does a part (-1)."""

    def __init__(self, site, call, how):
        self.site, self.call, self.how = site, call, how


class Watch:
    """The settings of the shim for one run, and its report."""

    is_asan = False  # of the programs

    def __init__(self, folder, fault=None, is_on=True):
        self.fault = fault
        self.report = os.path.join(folder, "report")
        path = os.path.join(folder, "control")
        with open(path, "w+b") as control:
            control.write(bytes(mmap.PAGESIZE))
            control.flush()
            self.memory = mmap.mmap(control.fileno(), mmap.PAGESIZE)
        self.count_calls(is_on)
        if os.path.exists(self.report):
            os.remove(self.report)
        self.environment = {
            **os.environ, "LD_PRELOAD": SHIM, "FAULTS_REPORT": self.report,
            "FAULTS_CONTROL": path, "FAULTS_BLOCKS": "1", "FAULTS_FILL": "1"}
        if Watch.is_asan:
            self.environment.update(ASAN)
        if fault is not None:
            self.environment.update(FAULTS_SITE=fault.site.number, FAULTS_CALL=str(fault.call),
                                    FAULTS_HOW=str(fault.how))

    def count_calls(self, is_on):
        self.memory[0:4] = struct.pack("=I", is_on)

    def has_failed(self):
        return struct.unpack("=I", self.memory[4:8])[0] > 0

    def read(self):
        """{number: site} that were reached, and {number: frames} of blocks that were not freed."""
        sites, left = {}, {}
        if os.path.exists(self.report):
            with open(self.report) as file:
                for line in file:
                    kind, number, what, *frames = line.split()
                    if kind == "site":
                        sites[number] = Site(number, what, frames)
                    elif kind == "count" and number in sites:
                        sites[number].calls = int(what)
                    elif kind == "left":
                        left[number] = frames
        return sites, left


_functions = {}  # of (program, offset)


def resolve(program, frames):
    """Finds the functions of many frames at once, for stack_text: one by one is slow."""
    split = {frame.rpartition("+")[::2] for frame in frames}
    new = sorted(offset for module, offset in split
                 if module == "program" and (program, offset) not in _functions)
    if new:
        # A return address is after the call, and the call may be the last of its function.
        out = subprocess.run(
            ["addr2line", "-f", "-e", program, *(hex(int(offset, 16) - 1) for offset in new)],
            capture_output=True, text=True).stdout.splitlines()
        for i, offset in enumerate(new):
            _functions[program, offset] = out[2 * i] if 2 * i < len(out) else "??"


def stack_text(program, frames, most=12):
    """Functions' names, the innermost first; for a library without symbols its own name."""
    names = []
    frames = [frame for frame in frames if not frame.startswith("libasan")]
    resolve(program, frames)
    for frame in frames:
        module, _, offset = frame.rpartition("+")
        is_own = module == "program"
        name = _functions[program, offset] if is_own else module.split(".so")[0]
        if not names or names[-1] != name:
            names.append(name)
    return " < ".join(names[:most])
