"""How a peer and `pno bench` take turns: one line of JSON on standard output per answer.

    peer -> {"versions": ["torch 2.3.1"], "setting": "processes: 2", "warm_up_secs": 20.1}   ready
    pno  -> go
    peer -> {"clock": 0.31, "cores": 0.60}      seconds per trajectory (or case), on the clock and on the cores
    pno  -> end of input: the peer leaves

Waiting for a line takes no time of the cores, so the program can measure itself between two answers.

    python turns.py pde=py-pde torch=torch      {"missing": ["py-pde"]}: which packages (by module) are not installed
"""

import importlib.util
import json
import multiprocessing
import sys
import time


def say(**answer):
    """One answer."""
    print(json.dumps(answer), flush=True)


def serve(run):
    """Answers every `go` with what `run()` returns: seconds on the clock and on the cores, and the number of trajectories."""
    for line in sys.stdin:
        if line.strip() == "go":
            clock, cores, trajectories = run()
            say(clock=clock / trajectories, cores=cores / trajectories)


class Workers:
    """Processes that do the same at the same time, each with its own arguments.

    `make(*arguments)` is called in each of them once, and what it returns is called for every message. An answer comes
    with the time it took: seconds on the clock and on the cores.
    """

    def __init__(self, make, arguments):
        # Not a fork: compilers and threads would be half there.
        context = multiprocessing.get_context("spawn")
        self.pipes = []
        for each in arguments:
            here, there = context.Pipe()
            context.Process(target=_work, args=(make, each, there), daemon=True).start()
            there.close()
            self.pipes.append(here)
        self.answers()

    def __len__(self):
        return len(self.pipes)

    def ask(self, *message):
        """Sends a message to all: seconds on the clock until the last is done, seconds on all cores, the answers."""
        for pipe in self.pipes:
            pipe.send(message)
        clocks, cores, answers = zip(*self.answers())
        return max(clocks), sum(cores), answers

    def answers(self):
        return [pipe.recv() for pipe in self.pipes]

    def close(self):
        """Lets them go."""
        for pipe in self.pipes:
            pipe.close()


def _work(make, arguments, pipe):
    answer = make(*arguments)
    pipe.send(None)
    try:
        while True:
            message = pipe.recv()
            clock, cores = time.perf_counter(), time.process_time()
            answered = answer(*message)
            pipe.send((time.perf_counter() - clock, time.process_time() - cores, answered))
    except (EOFError, BrokenPipeError):
        pass


if __name__ == "__main__":
    wanted = dict(argument.split("=") for argument in sys.argv[1:])
    say(missing=[package for module, package in wanted.items() if importlib.util.find_spec(module) is None])
