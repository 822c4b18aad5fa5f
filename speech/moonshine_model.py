"""The speech model inside moonshine-voice, run with onnxruntime.

The package's own runner starts a spinning thread for each core and copies the decoder's state after every token.
That makes eight live sessions on two cores impossible. It also keeps the probabilities of the tokens to itself.
"""

import math
import os

import numpy as np
import onnxruntime
from moonshine_voice import get_model_path

NAME = "tiny-en"
LAYER_SHAPE = (1, 8, 1, 36)
BEGIN, END = 1, 2
# Speech has fewer tokens in a second; more are a loop.
MOST_TOKENS_A_SECOND = 6.5
SPACE = "\u2581".encode()


class MoonshineModel:
    def __init__(self, threads: int):
        folder = str(get_model_path(NAME))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Every piece has another length, and an arena keeps the memory of all of them.
        options.enable_cpu_mem_arena = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._encoder = _session(folder, "encoder_model.ort", options)
        self._decoder = _session(folder, "decoder_model_merged.ort", options)
        self._outputs = [output.name for output in self._decoder.get_outputs()]
        self._states = [one.name for one in self._decoder.get_inputs() if one.name.startswith("past_key_values")]
        self._tokens = _tokens(os.path.join(folder, "tokenizer.bin"))

    def words(self, samples: np.ndarray, rate: int) -> list:
        """Pairs of a word with the space before it and the mean probability of its tokens."""
        words = []
        for token, probability in self._decoded(samples, math.ceil(len(samples) / rate * MOST_TOKENS_A_SECOND)):
            text = self._tokens[token]
            if text.startswith(b"<") and text.endswith(b">") and len(text) > 2:
                continue
            if text.startswith(SPACE) or not words:
                words.append(([], []))
            words[-1][0].append(text)
            words[-1][1].append(probability)
        texts = [(b"".join(parts).replace(SPACE, b" ").decode("utf-8", "ignore"), shares) for parts, shares in words]
        return [(text, sum(shares) / len(shares)) for text, shares in texts if text.strip()]

    def _decoded(self, samples: np.ndarray, most: int):
        """Tokens with their probabilities, each the likeliest after those before it."""
        audio = np.ascontiguousarray(samples[None, :], dtype=np.float32)
        mask = _value(np.ones(audio.shape, dtype=np.int64))
        [heard] = self._encoder.run_with_ort_values(None, {"input_values": _value(audio), "attention_mask": mask})
        unchanged = {"encoder_hidden_states": heard, "encoder_attention_mask": mask}
        states = {name: _value(np.zeros(LAYER_SHAPE, dtype=np.float32)) for name in self._states}
        token = BEGIN
        for step in range(most):
            fed = {"input_ids": _value(np.array([[token]])), "use_cache_branch": _value(np.array([step > 0]))}
            given = dict(zip(self._outputs, self._decoder.run_with_ort_values(self._outputs, {**unchanged, **fed, **states})))
            logits = given["logits"].numpy()[0, -1]
            token = int(logits.argmax())
            if token == END:
                return
            yield token, float(1 / np.exp(logits - logits[token]).sum())
            for name in states:
                # What the decoder keeps of the audio is complete after the first token.
                if step == 0 or ".decoder." in name:
                    states[name] = given[name.replace("past_key_values", "present")]


def _session(folder: str, name: str, options) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(os.path.join(folder, name), options, providers=["CPUExecutionProvider"])


def _value(array: np.ndarray) -> onnxruntime.OrtValue:
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def _tokens(path: str) -> list:
    """The bytes of each token. A length above 127 takes two bytes."""
    with open(path, "rb") as file:
        data = file.read()
    tokens = []
    at = 0
    while at < len(data):
        length = data[at]
        at += 1
        if length >= 128:
            length += (data[at] - 1) * 128
            at += 1
        tokens.append(data[at : at + length])
        at += length
    return tokens
