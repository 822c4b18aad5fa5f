"""Speech worker: one engine, one loaded model, one run at a time.

Reads JSON lines on stdin and writes JSON lines on stdout; docs/speech-workers.md has the protocol.
It ends when stdin closes, so it never outlives the server.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# A library that prints must not break the protocol: its output goes to stderr.
PROTOCOL = os.fdopen(os.dup(1), "wb", buffering=0)
os.dup2(2, 1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="worker.py")
    parser.add_argument("engine", choices=["moonshine", "whisper", "voice"])
    parser.add_argument("--model", default=None, help="Folder of the model (whisper only).")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    # Native libraries read this when they are imported.
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    os.environ["HF_HUB_OFFLINE"] = "1"
    from messages import Messages

    messages = Messages(sys.stdin.buffer, PROTOCOL)
    if options.engine == "moonshine":
        from moonshine import Moonshine

        engine = Moonshine(options.threads)
    elif options.engine == "voice":
        from cutting import Cutting

        engine = Cutting()
    else:
        from whisper import Whisper

        engine = Whisper(options.model, options.threads)
    from run import serve

    messages.send({"type": "ready", "engine": engine.name})
    serve(engine, messages)


if __name__ == "__main__":
    main()
