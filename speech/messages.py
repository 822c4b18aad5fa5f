"""The JSON lines between the server and this worker."""

import base64
import json
import os
import queue
import threading

import numpy as np

# A line holds at most 2 s of audio, so this bounds the memory of waiting audio.
WAITING_LINES = 64


class Messages:
    """Reads in a thread of its own, so that the server can write while the engine works, and a closed pipe ends the worker at once."""

    def __init__(self, source, target):
        self._source = source
        self._target = target
        self._waiting = queue.Queue(maxsize=WAITING_LINES)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._source:
            self._waiting.put(json.loads(line))
        # The server closed the pipe or died. Native code may be busy, so leave without waiting for it.
        os._exit(0)

    def receive(self) -> dict:
        return self._waiting.get()

    def send(self, message: dict) -> None:
        self._target.write(json.dumps(message).encode() + b"\n")


def samples_of(message: dict, channels: int) -> list:
    """The audio of a message: one float array per channel, -1 to 1."""
    data = np.frombuffer(base64.b64decode(message["data"]), dtype="<i2")
    frames = data[: len(data) // channels * channels].reshape(-1, channels)
    return [frames[:, channel].astype(np.float32) / 32768 for channel in range(channels)]
