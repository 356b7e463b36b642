"""Every target on every seed, then a bounded search with a fixed seed: no crash, no hang, no runaway memory."""

import unittest

import fuzzing


class Fuzz(unittest.TestCase):
    def check(self, target):
        run = fuzzing.Run(target)
        self.addCleanup(run.close)
        run.replay()
        wanted = run.seeds + fuzzing.TARGETS[target][0]
        stats = run.search(f"-runs={wanted}")
        self.assertGreaterEqual(stats["executions"], fuzzing.TARGETS[target][0])
        self.assertGreater(stats["edges"], 0)
        print(f"{target}: {run.seeds} seeds, {stats}")


for name in fuzzing.TARGETS:
    setattr(Fuzz, f"test_{name}", lambda self, name=name: self.check(name))

if __name__ == "__main__":
    unittest.main()
