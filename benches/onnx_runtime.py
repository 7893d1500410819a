"""Forward passes beside ONNX Runtime's: the same weights, dense, in float32, on one thread with
subnormal numbers off. Run it with the model files that `rasp compile` wrote, the `rasp` program and
the bench's binary (`cargo bench --bench execute --no-run` says which that is):

    python3 benches/onnx_runtime.py --rasp target/release/rasp --bench target/release/deps/execute-… FILE…

The packages below go to an environment of their own, which is made beside the system's temporary
files. Each model is first run on random inputs by both, and all outputs have to agree.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

PACKAGES = ["numpy==1.26.4", "onnx==1.16.2", "onnxruntime==1.19.2"]
TOGETHER = 64


def in_environment():
    """Runs this script again in an environment that has the packages."""
    home = Path(tempfile.gettempdir()) / "rasp-bench-onnx"
    python = home / "bin" / "python3"
    if Path(sys.prefix) == home:
        return
    if not python.exists():
        venv.create(home, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [str(python), *sys.argv])


def load(path):
    """What a model file holds: what it says, and the arrays by name."""
    import numpy as np

    data = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    described = json.loads(header.pop("__metadata__")["rasp"])
    arrays = {}
    for name, entry in header.items():
        if entry["dtype"] == "F64":
            start, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + length + start : 8 + length + end], dtype="<f8")
            arrays[name] = flat.reshape(entry["shape"]).astype(np.float32)
    return described, arrays


def zeros(arrays):
    """The share of the weights that is zero, those of readouts of variables left out."""
    weights = [array for name, array in arrays.items() if not name.startswith("variables.")]
    return 1 - sum((array != 0).sum() for array in weights) / sum(array.size for array in weights)


def graph(described, arrays):
    """The model as an ONNX graph: rows of the embedding in, the greatest logit of each position out."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(array, name))
        return name

    def node(kind, *inputs, **attributes):
        name = f"t{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def affine(x, weights, bias):
        x = node("MatMul", x, constant(weights, arrays[weights]))
        return node("Add", x, constant(bias, arrays[bias])) if arrays[bias].any() else x

    positions = described["max_length"] + described["bos"]
    x = node("Gather", constant("W_E", arrays["embed.W_E"]), "rows")
    x = node("Add", x, constant("W_pos", arrays["pos_embed.W_pos"][:positions]))
    for at, heads in enumerate(described["layers"]):
        block, read = f"blocks.{at}", x
        for head in range(len(heads)):
            part = f"{block}.attn.{head}"
            query = affine(read, f"{part}.W_Q", f"{part}.b_Q")
            key = affine(read, f"{part}.W_K", f"{part}.b_K")
            value = node("MatMul", read, constant(f"{part}.W_V", arrays[f"{part}.W_V"]))
            scores = node("MatMul", query, node("Transpose", key, perm=[0, 2, 1]))
            d_head = arrays[f"{part}.W_Q"].shape[1]
            root = constant(f"{part}.root", np.float32(1) / np.sqrt(np.float32(d_head)))
            pattern = node("Softmax", node("Mul", scores, root), axis=-1)
            mixed = node("MatMul", pattern, value)
            mixed = node("MatMul", mixed, constant(f"{part}.W_O", arrays[f"{part}.W_O"]))
            x = node("Add", x, mixed)
        if arrays[f"{block}.mlp.W_in"].size:
            hidden = node("Relu", affine(x, f"{block}.mlp.W_in", f"{block}.mlp.b_in"))
            x = node("Add", x, affine(hidden, f"{block}.mlp.W_out", f"{block}.mlp.b_out"))
    logits = affine(x, "unembed.W_U", "unembed.b_U")
    nodes[-1].output[0] = "logits"
    rows = helper.make_tensor_value_info("rows", TensorProto.INT64, [None, positions])
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)
    made = helper.make_graph(nodes, "model", [rows], [out], constants)
    opset = helper.make_opsetid("", 17)
    return helper.make_model(made, opset_imports=[opset], ir_version=9)


def session(model):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)


def least(run):
    """Microseconds of the shortest of the runs that fit in a second, after some to warm up."""
    shortest, begin, runs = float("inf"), time.perf_counter(), 0
    while runs < 10 or (time.perf_counter() - begin < 1 and runs < 3000):
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
        runs += 1
    return shortest * 1e6


def overhead():
    """What a call takes that computes nothing."""
    import numpy as np
    from onnx import TensorProto, helper

    shape = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, [None, 3])
    made = helper.make_graph(
        [helper.make_node("Identity", ["rows"], ["out"])], "nothing", [shape("rows")], [shape("out")]
    )
    opset = helper.make_opsetid("", 17)
    empty = session(helper.make_model(made, opset_imports=[opset], ir_version=9))
    rows = np.zeros((1, 3), dtype=np.int64)
    return least(lambda: empty.run(None, {"rows": rows}))


def decoded(described, logits):
    """The values that logits `[positions, classes]` stand for, without that at BOS."""
    (output,) = described["outputs"]
    decoder = output["decoder"]
    logits = logits[int(described["bos"]) :]
    if "categorical" in decoder:
        return [decoder["categorical"][at] for at in logits.argmax(axis=-1)]
    numbers = decoder["numerical"]
    return [min(numbers, key=lambda number: abs(number - logit)) for logit in logits[:, 0]]


def agree(path, described, running, rasp):
    """Whether both give the same on random inputs of the greatest length."""
    import numpy as np

    chosen = random.Random(1)
    vocabulary, length = described["vocabulary"], described["max_length"]
    rows = [[chosen.randrange(len(vocabulary)) for _ in range(length)] for _ in range(TOGETHER)]
    arguments = [rasp, "exec", path, "--json"]
    for row in rows:
        arguments += ["--input-json", json.dumps([vocabulary[token] for token in row])]
    lines = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    before = [len(vocabulary)] * int(described["bos"])
    rows = np.array([before + row for row in rows], dtype=np.int64)
    (logits,) = running.run(None, {"rows": rows})
    theirs = [decoded(described, one) for one in logits]
    ours = [json.loads(line)["output"] for line in lines.splitlines()]
    assert ours == theirs, f"{path}: the outputs differ"
    return rows


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rasp", required=True)
    arguments.add_argument("--bench", required=True)
    arguments.add_argument("files", nargs="+")
    arguments = arguments.parse_args()
    in_environment()
    call = overhead()
    one_thread = {**os.environ, "RAYON_NUM_THREADS": "1"}
    print(f"microseconds for each input, of ONNX Runtime without the {call:.1f} that a call takes")
    print(f"{'model':<16}  zeros  alone: onnx  rasp  times   {TOGETHER} at once: onnx  rasp  times")
    for path in arguments.files:
        described, arrays = load(path)
        running = session(graph(described, arrays))
        rows = agree(path, described, running, arguments.rasp)
        alone = least(lambda: running.run(None, {"rows": rows[:1]})) - call
        many = (least(lambda: running.run(None, {"rows": rows})) - call) / TOGETHER
        timed = [arguments.bench, path]
        timed = subprocess.run(timed, check=True, capture_output=True, text=True, env=one_thread)
        ours = json.loads(timed.stdout.splitlines()[0])
        print(
            f"{Path(path).name:<16}  {zeros(arrays):5.1%}"
            f"  {alone:11.1f} {ours['alone']:5.1f} {alone / ours['alone']:6.1f}"
            f"  {many:16.1f} {ours['of_many']:5.1f} {many / ours['of_many']:6.1f}"
        )


main()
