"""Upload, wait, export and usage with the client that openapi-generator makes."""
import os
import time

import tributary_client as tributary

configuration = tributary.Configuration(
    host=os.environ["TRIBUTARY_URL"],
    api_key={"apiKey": os.environ["API_KEY"]},
    api_key_prefix={"apiKey": "Basic"},
)
with tributary.ApiClient(configuration) as client:
    stream = tributary.UploadApi(client).upload(
        stream_configuration_template_id="7472696275746172790a7478",
        body=b"Ana called. Ben will send the offer on Monday.",
        persist=True,
        x_template_patch='[{"op":"replace","path":"summary","value":true}]',
    )
    while stream.state == "READY":
        time.sleep(0.05)
        stream = tributary.StreamsApi(client).find_stream(stream.stream_id)
    result = tributary.ExportApi(client).export_json(streams=[stream.stream_id])
    usage = tributary.UsageApi(client).find_stream_usage(stream.stream_id)
    print(stream.state, result.summary.content, usage.processors[0].credits)
