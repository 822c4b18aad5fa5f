"""Upload, wait, export and usage with the client that openapi-python-client makes."""
import io
import os
import time

from tributary_client import AuthenticatedClient
from tributary_client.api.export import export_events, export_json
from tributary_client.api.streams import find_stream
from tributary_client.api.upload import upload
from tributary_client.api.usage import find_stream_usage
from tributary_client.types import File

client = AuthenticatedClient(base_url=os.environ["TRIBUTARY_URL"], token=os.environ["API_KEY"], prefix="Basic")
stream = upload.sync(
    client=client,
    body=File(payload=io.BytesIO(b"Ana called. Ben will send the offer on Monday.")),
    stream_configuration_template_id="7472696275746172790a7478",
    persist=True,
    x_template_patch='[{"op":"replace","path":"summary","value":true}]',
)
while stream.state == "READY":
    time.sleep(0.05)
    stream = find_stream.sync(stream.stream_id, client=client)
events = export_events.sync(client=client, streams=[stream.stream_id]).payload.read()
assert events.startswith(b'{"streamId":'), events
result = export_json.sync(client=client, streams=[stream.stream_id])
usage = find_stream_usage.sync(stream.stream_id, client=client)
print(stream.state, result.summary.content, usage.processors[0].credits_)
