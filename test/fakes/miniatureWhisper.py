"""Writes a miniature Whisper in CTranslate2's format: the real layers, a few of them, with random weights, and a tokenizer of its own.

    speech/.venv/bin/python test/fakes/miniatureWhisper.py FOLDER [--languages en|many]

Loading, language detection, word times and memory behave as with a real model. Its words are noise, but not silence and not endless: each position of
the decoder prefers one token, so that every 30 seconds of audio give two short sentences, the same ones each time.
"""

import argparse
import json
import os

import numpy
import tokenizers
from ctranslate2.specs import WhisperSpec
from faster_whisper.tokenizer import _LANGUAGE_CODES

WIDTH = 32
HEADS = 2
LAYERS = 2
MELS = 80
AUDIO_POSITIONS = 1500
TEXT_POSITIONS = 448
TIMESTAMPS = 1501
TEXT_TOKENS = 1000
# In the order of Whisper's vocabulary, from which the engines compute ids.
LANGUAGES = ["en", "zh", "de", "es", "ru", "ko", "fr", "ja", "pt", "tr"]
LANGUAGES += [code for code in _LANGUAGE_CODES if code not in LANGUAGES and code != "yue"]
SENTENCES = [["the", "water", "runs", "to", "the", "sea."], ["we", "count", "every", "little", "stream."]]

CERTAINTY = 4

random = numpy.random.default_rng(19)


def noise(*shape, scale=0.02):
    return random.normal(0, scale, shape).astype(numpy.float32)


def set_norm(spec):
    spec.gamma = numpy.ones(WIDTH, numpy.float32)
    spec.beta = numpy.zeros(WIDTH, numpy.float32)


def set_linear(spec, outputs, inputs):
    spec.weight = noise(outputs, inputs)
    spec.bias = noise(outputs)


def set_attention(spec, widths):
    set_norm(spec.layer_norm)
    for linear, outputs in zip(spec.linear, widths):
        set_linear(linear, outputs, WIDTH)


def set_feed_forward(spec):
    set_norm(spec.layer_norm)
    set_linear(spec.linear_0, 4 * WIDTH, WIDTH)
    set_linear(spec.linear_1, WIDTH, 4 * WIDTH)


def set_encoder(spec):
    for convolution, inputs in ((spec.conv1, MELS), (spec.conv2, WIDTH)):
        convolution.weight = noise(WIDTH, inputs, 3)
        convolution.bias = noise(WIDTH)
    spec.position_encodings.encodings = noise(AUDIO_POSITIONS, WIDTH, scale=1)
    set_norm(spec.layer_norm)
    for layer in spec.layer:
        set_attention(layer.self_attention, [3 * WIDTH, WIDTH])
        set_feed_forward(layer.ffn)


def set_decoder(spec, tokens, preferred):
    directions = orthogonal_directions(len(preferred))
    spec.position_encodings.encodings = directions[numpy.arange(TEXT_POSITIONS) % len(preferred)]
    spec.embeddings.weight = noise(len(tokens), WIDTH)
    projection = noise(len(tokens), WIDTH)
    for direction, token in zip(directions, preferred, strict=True):
        projection[token] += CERTAINTY * direction
    spec.projection.weight = projection
    set_norm(spec.layer_norm)
    for layer in spec.layer:
        set_attention(layer.self_attention, [3 * WIDTH, WIDTH])
        set_attention(layer.attention, [WIDTH, 2 * WIDTH, WIDTH])
        set_feed_forward(layer.ffn)


def orthogonal_directions(count):
    """Unit vectors without a mean, which the layer norm would remove."""
    ones = numpy.ones((WIDTH, 1))
    basis, _ = numpy.linalg.qr(numpy.hstack([ones, random.normal(size=(WIDTH, count))]))
    return basis[:, 1:].T.astype(numpy.float32)


def byte_tokens():
    """The 256 characters that stand for bytes in byte-level BPE."""
    return sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())


def text_tokens(count):
    syllables = [consonant + vowel for consonant in "bdfghjklmnprstvz" for vowel in "aeiou"]
    said = [f"Ġ{word}" for sentence in SENTENCES for word in sentence]
    filler = (f"Ġ{one}{two}{three}" for one in syllables for two in syllables for three in syllables)
    tokens = list(dict.fromkeys(byte_tokens() + said))
    taken = set(tokens)
    while len(tokens) < count:
        token = next(filler)
        if token not in taken:
            tokens.append(token)
    return tokens


def special_tokens():
    return [
        "<|endoftext|>",
        "<|startoftranscript|>",
        *(f"<|{code}|>" for code in LANGUAGES),
        "<|translate|>",
        "<|transcribe|>",
        "<|startoflm|>",
        "<|startofprev|>",
        "<|nospeech|>",
        "<|notimestamps|>",
    ]


def preferred_tokens(multilingual):
    """The token that each position of the decoder prefers as the next one. A prompt moves the beginning: the tokens repeat."""
    # The language follows <|startoftranscript|>; the task token after it is always given.
    preferred = ["<|en|>", "<|transcribe|>"] if multilingual else []
    for n, sentence in enumerate(SENTENCES):
        preferred += [f"<|{2 * n:.2f}|>", *(f"Ġ{word}" for word in sentence), f"<|{2 * n + 2:.2f}|>"]
    return [*preferred, "<|endoftext|>"]


def write_tokenizer(path, texts, specials):
    ids = {token: n for n, token in enumerate(texts)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ids, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(specials)
    tokenizer.save(path)


def main():
    parser = argparse.ArgumentParser(description="Writes a miniature Whisper for tests.")
    parser.add_argument("folder")
    parser.add_argument("--languages", choices=["en", "many"], default="many")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)

    multilingual = arguments.languages == "many"
    specials = special_tokens()
    # CTranslate2 takes a model for multilingual if its vocabulary has the empty token.
    texts = text_tokens(TEXT_TOKENS) + [""] * multilingual
    tokens = texts + specials + [f"<|{n * 0.02:.2f}|>" for n in range(TIMESTAMPS)]
    ids = {token: n for n, token in enumerate(tokens)}

    spec = WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    set_encoder(spec.encoder)
    set_decoder(spec.decoder, tokens, [ids[token] for token in preferred_tokens(multilingual)])
    spec.register_vocabulary(tokens)
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = [ids["<|endoftext|>"]]
    spec.config.lang_ids = [ids[f"<|{code}|>"] for code in LANGUAGES]
    spec.config.alignment_heads = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
    spec.validate()
    spec.optimize(quantization="float32")
    spec.save(arguments.folder)
    write_tokenizer(os.path.join(arguments.folder, "tokenizer.json"), texts, specials)
    with open(os.path.join(arguments.folder, "preprocessor_config.json"), "w", encoding="utf-8") as file:
        json.dump({"feature_size": MELS}, file)


main()
