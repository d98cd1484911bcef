"""Serves a GGUF model as llama.cpp does: serve.py MODEL [KEY]. Says its address on one line; ends with its input."""
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.api_keys = sys.argv[2:]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 2048
params.n_parallel = 1
# Two threads that share their cores with others are slower than one.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
