"""`python -m tests.recorded`: how many of the recorded streams are understood, however they arrive."""

from __future__ import annotations

import sys

from tests.recorded.deliveries import DELIVERIES
from tests.recorded.recordings import FOLDER, Stage, differences, rows


def main() -> int:
    streams = rows()
    if not streams:
        sys.stderr.write(f"the recorded streams are not at hand: no INDEX.tsv in {FOLDER}\n")
        return 1
    right = dict.fromkeys(DELIVERIES, 0)
    with Stage() as stage:
        for row in streams:
            for name, delivery in DELIVERIES.items():
                wrong = differences(row, stage.play(row, delivery))
                right[name] += not wrong
                sys.stderr.writelines(f"{row['file']}, {name}: {line}\n" for line in wrong)
    counts = ", ".join(f"{count}/{len(streams)} {name}" for name, count in right.items())
    sys.stdout.write(f"recorded streams: {counts}\n")
    return 0 if set(right.values()) == {len(streams)} else 1


if __name__ == "__main__":
    sys.exit(main())
