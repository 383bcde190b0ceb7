"""Reads a batch at an s3:// address and prints what was read, for test/cli/rollout/archive.slow.test.ts."""

from __future__ import annotations

import hashlib
import json
import sys

from rolltape import Batch

with Batch.open(sys.argv[1]) as batch:
    ids = hashlib.sha256(batch["input_ids"].tobytes()).hexdigest()
    result = {"rows": len(batch), "rewards": batch.rewards.tolist(), "input_ids": ids, "names": sorted(batch.tensors)}
    print(json.dumps(result))
