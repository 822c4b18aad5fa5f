"""Hooks of Schemathesis, which `http.test.ts` runs."""

import os
import random
import re

import schemathesis

# The one reason for a 503 that a server in good health has: it lacks the engine that a template needs.
NO_ENGINE = "PROCESSOR_FAILED_RESERVATION_ERROR"
POSITION = re.compile(r"^[A-Za-z0-9:._-]{1,128}$")


@schemathesis.hook
def before_call(context, case, kwargs):
    # Every request comes from an address of its own: wrong credentials are refused, not throttled.
    case.headers["X-Forwarded-For"] = ".".join(str(random.randint(1, 254)) for _ in range(4))
    # A position is opaque: no schema says which ones there are.
    if POSITION.match(str(case.headers.get("Tributary-After", ""))):
        case.headers["Tributary-After"] = os.environ["TRIBUTARY_POSITION"]


@schemathesis.check
def unavailable_without_an_engine_only(ctx, response, case):
    if response.status_code == 503:
        body = response.json()
        # Under /v1 errors have the form of OpenAI, which names no internal error.
        if "error" in body:
            assert "models pull" in body["error"]["message"] or "engine" in body["error"]["message"], response.text
        else:
            assert body["internalErrorName"] == NO_ENGINE, response.text

# The body of a part of a resumable upload: any bytes.
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
