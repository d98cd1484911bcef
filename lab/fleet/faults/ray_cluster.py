"""A Ray cluster of nodes on this machine: prints its address, and removes a node for each line that it reads.

python ray_cluster.py    # then, on standard input, a line for each node to lose
"""

from __future__ import annotations

import os
import sys

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # read when Ray is imported

from ray.cluster_utils import Cluster

MEMORY = 100_000_000


def main() -> None:
    # The head only schedules: the node that is lost is one with actors.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": MEMORY})
    nodes = [cluster.add_node(num_cpus=1, object_store_memory=MEMORY) for _ in range(3)]
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(nodes.pop(), allow_graceful=False)
        print(f"{len(nodes)} nodes left", flush=True)
    cluster.shutdown()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
