"""A Tributary processor that redacts e-mail addresses from text.

Declare it with inputSchema "string" and outputSchema "string". Settings: PORT (default 9000), HOST (default 127.0.0.1) and
TRIBUTARY_PROCESSOR_SECRET, the secret that the declaration returned.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Every repetition is limited, so that no text takes long: input may be hostile.
EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
SECRET = os.environ.get("TRIBUTARY_PROCESSOR_SECRET", "")
TOLERANCE_SECONDS = 300


def process(text, properties):
    """This is yours to change: what comes in, what goes out."""
    return EMAIL.sub(properties.get("replacement", "[redacted]"), text)


def properties_text(headers):
    """The properties of the stage as canonical JSON. Raises ValueError for a header that is not base64url."""
    return base64.urlsafe_b64decode(headers.get("tributary-properties", "e30") + "==").decode()


def properties_of(headers):
    """The properties of the stage. Raises ValueError for a header that is not a JSON object in base64url."""
    properties = json.loads(properties_text(headers))
    if not isinstance(properties, dict):
        raise ValueError("the properties are not an object")
    return properties


def is_signed(headers):
    """Standard Webhooks. The body is a stream, so the signature covers the head of the run as canonical JSON."""
    if not SECRET:
        return True
    properties_of(headers)
    attempt, run_id = int(headers.get("tributary-attempt", "0")), headers.get("tributary-run-id", "")
    processor, run, stream = (json.dumps(headers.get(f"tributary-{name}", "")) for name in ("processor", "run-id", "stream-id"))
    # The properties are already canonical. Encoding them again could change a number or a character.
    properties = properties_text(headers)
    content = f'{{"attempt":{attempt},"processor":{processor},"properties":{properties},"runId":{run},"streamId":{stream}}}'
    sent, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "0")
    if sent != run_id or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, f"{sent}.{timestamp}.{content}".encode(), hashlib.sha256).digest()).decode()
    given = [one.removeprefix("v1,") for one in headers.get("webhook-signature", "").split(" ")]
    return any(hmac.compare_digest(one, expected) for one in given)


class Processor(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        try:
            text = self.body().decode("utf-8", "replace")
        except ValueError:
            self.close_connection = True
            return self.answer(400, b"the body broke off\n", "text/plain")
        try:
            if not is_signed(self.headers):
                return self.answer(401, b"wrong signature\n", "text/plain")
            properties = properties_of(self.headers)
        except (ValueError, TypeError):
            return self.answer(400, b"bad headers\n", "text/plain")
        lines = [{"output": process(text, properties)}, {"end": True}]
        body = "".join(json.dumps(line) + "\n" for line in lines).encode()
        return self.answer(200, body, "application/x-ndjson")

    def do_GET(self):
        self.close_connection = True
        self.answer(405, b"this processor takes POST\n", "text/plain")

    do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length", "0")))
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def answer(self, status, body, content_type):
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    address = (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "9000")))
    server = ThreadingHTTPServer(address, Processor)
    print(f"processor ready http://{address[0]}:{address[1]}", flush=True)
    server.serve_forever()
