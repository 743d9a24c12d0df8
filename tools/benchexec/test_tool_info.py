"""Tests of the tool-info module against real outputs: python3 tools/benchexec/test_tool_info.py RHUMB"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
from types import SimpleNamespace

HERE = pathlib.Path(__file__).resolve().parent
# A folder called `benchexec` lies beside this file, too: the module is loaded by its path.
sys.path = [path for path in sys.path if pathlib.Path(path).resolve() not in (HERE, HERE.parent)]
try:
    import benchexec.result as result
    from benchexec.tools.template import BaseTool2
    from benchexec.util import ProcessExitCode
except ImportError:
    print("skipped: there is no Python package benchexec")
    sys.exit(0)

spec = importlib.util.spec_from_file_location("rhumb_tool", HERE / "rhumb.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

PROGRAMS = {
    "extern void reach_error(void); int main(void) { int x = 0; while (x < 10) x += 2; if (x % 2) reach_error(); }": result.RESULT_TRUE_PROP,
    "extern void reach_error(void); int main(void) { reach_error(); }": result.RESULT_FALSE_REACH,
    'extern void reach_error(void); int main(void) { int x = 1; __asm__("hlt"); if (x) reach_error(); }': result.RESULT_UNKNOWN,
    "int main(void) { return x; }": result.RESULT_ERROR + " (not valid C)",
}


def main(rhumb):
    tool = module.Tool()
    folder = pathlib.Path(tempfile.mkdtemp())
    program = folder / "a.c"
    limits = BaseTool2.ResourceLimits(cputime=20, memory=4_000_000_000)
    for text, expected in PROGRAMS.items():
        program.write_text(text)
        task = BaseTool2.Task.with_files([str(program)], options={"language": "C", "data_model": "ILP32"})
        command = tool.cmdline(rhumb, [], task, limits)
        assert "ILP32" in command and "19s" in command and "3800MB" in command, command
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        run = SimpleNamespace(
            output=BaseTool2.RunOutput(done.stdout.splitlines(keepends=True)),
            exit_code=ProcessExitCode(raw=done.returncode << 8, value=done.returncode, signal=None),
        )
        found = tool.determine_result(run)
        assert found == expected, f"{found} instead of {expected}:\n{done.stdout}"
        if expected == result.RESULT_TRUE_PROP:
            assert float(tool.get_value_from_output(run.output, "time.total")) >= 0
    run = SimpleNamespace(output=["stat: phase search\n", "verdict: UNKNOWN (out of time in the search)\n"])
    assert tool.determine_result(run) == "TIMEOUT (in search)"
    print("ok")


main(sys.argv[1])
