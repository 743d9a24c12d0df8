# The tool-info module of Rhumb for BenchExec: <benchmark tool="tools.benchexec.rhumb" ...>, with the folder above `tools` on PYTHONPATH.
# `python3 tools/benchexec/test_tool_info.py RHUMB` tests it.

import re

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task


class Tool(benchexec.tools.template.BaseTool2):
    """Rhumb, a software model checker for C."""

    REQUIRED_PATHS = ["bin", "lib"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("rhumb", subdir="bin")

    def name(self):
        return "Rhumb"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="rhumb")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check"] + options
        if task.property_file:
            command += ["--property", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model and "--data-model" not in options:
            command += ["--data-model", model]
        # It stops by itself a little earlier, and tells how far it got.
        limits = [("--cpu-timeout", rlimits.cputime or rlimits.cputime_hard), ("--timeout", rlimits.walltime)]
        for option, seconds in limits:
            if seconds and option not in options:
                command += [option, f"{max(1, int(seconds * 0.98))}s"]
        if rlimits.memory and "--memory" not in options:
            command += ["--memory", f"{rlimits.memory * 95 // 100 // 1_000_000}MB"]
        return command + ["--stats"] + list(task.input_files_or_identifier)

    def determine_result(self, run):
        verdict = next((line for line in reversed(run.output) if line.startswith("verdict: ")), None)
        if verdict is None:
            return {
                1: result.RESULT_ERROR + " (wrong usage)",
                2: result.RESULT_ERROR + " (not valid C)",
                6: result.RESULT_ERROR + " (internal)",
            }.get(run.exit_code.value, result.RESULT_ERROR)
        word = verdict[len("verdict: ") :].strip()
        if word.startswith("UNSAFE"):
            named = re.match(r"UNSAFE \((?:FALSE: )?([a-z-]+)\)", word)
            return f"false({named.group(1)})" if named else result.RESULT_FALSE_REACH
        if word.startswith("SAFE"):
            return result.RESULT_TRUE_PROP
        if "out of time" in word:
            return "TIMEOUT" + self._phase(run.output)
        if "out of memory" in word:
            return "OUT OF MEMORY"
        return result.RESULT_UNKNOWN

    def _phase(self, output):
        """Where the time ran out, if the tool said it."""
        phases = [line.split()[-1] for line in output if line.startswith("stat: phase ")]
        return f" (in {phases[-1]})" if phases else ""

    def get_value_from_output(self, output, identifier):
        """Figures: the identifier is the name behind `stat: `."""
        for line in reversed(list(output)):
            match = re.match(rf"stat: {re.escape(identifier)} (\S+)$", line.strip())
            if match:
                return match.group(1)
        return None
