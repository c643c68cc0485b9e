"""A standalone cluster on loopback: a master and two workers, as processes of their own."""

import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
START_SECONDS = 90


class Cluster:
    """A master and workers with one core each, in `folder`."""

    def __init__(self, folder, workers=2):
        self.folder = folder
        self.processes = {}
        try:
            self._start("master", "Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
            self.url = self._logged("master", r"(spark://127\.0\.0\.1:\d+)")
            for number in range(workers):
                name = f"worker{number}"
                options = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", str(folder / name)]
                self._start(name, "Worker", *options, self.url)
            for number in range(workers):
                self._logged(f"worker{number}", "Successfully registered with master")
        except BaseException:
            self.stop()
            raise

    def _start(self, name, role, *arguments):
        environment = {**os.environ, "SPARK_HOME": str(HOME), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        # Executors must find the package in the archive that the job ships.
        environment.pop("PYTHONPATH", None)
        command = [HOME / "bin" / "spark-class", f"org.apache.spark.deploy.{role.lower()}.{role}", *arguments]
        log = (self.folder / f"{name}.log").open("wb")
        with log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self.processes[name] = process

    def _logged(self, name, pattern):
        """Waits for a line in a log. Returns the first group, if the pattern has one."""
        path = self.folder / f"{name}.log"
        for _ in range(START_SECONDS * 10):
            found = re.search(pattern, path.read_text("utf-8", "replace"))
            if found:
                return found.group(1) if found.groups() else None
            if self.processes[name].poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"{name} did not start:\n{path.read_text('utf-8', 'replace')[-2000:]}")

    def executors(self):
        """Returns the process ids of the executors: the children of the workers that run one."""
        found = {}
        for name, process in self.processes.items():
            if name.startswith("worker") and process.poll() is None:
                for pid in children(process.pid):
                    if b"CoarseGrainedExecutorBackend" in command_line(pid):
                        found[pid] = name
        return found

    def kill(self, name):
        """Kills a worker and its executors with SIGKILL."""
        process = self.processes.pop(name)
        for pid in [*children(process.pid), process.pid]:
            kill(pid)
        process.wait()

    def stop(self):
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()


def children(pid):
    """Returns the children of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        if task.name != str(pid)
        for child in (task / "children").read_text().split()
    ]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def packed(package, path):
    """Packs the folder of a package for `spark.archives`."""
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        skip = lambda info: None if info.name.endswith((".pyc", "__pycache__")) else info
        archive.add(package, arcname=package.name, filter=skip)
    return path
