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
        assert response.json()["internalErrorName"] == NO_ENGINE, response.text
