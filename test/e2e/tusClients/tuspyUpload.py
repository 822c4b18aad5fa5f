"""Uploads a file with tuspy, or continues an earlier try: the arguments are those of tusJsClient.mjs."""

import signal
import sys
from pathlib import Path

from tusclient import client
from tusclient.storage.filestorage import FileStorage

url, key, file, template, folder, stop_at = sys.argv[1:]

tus = client.TusClient(f"{url}/http-gateway/api/v1/tus", headers={"Authorization": f"Basic {key}"})
uploader = tus.uploader(
    file_path=file,
    chunk_size=262_144,
    metadata={"filename": "talk.wav", "streamConfigurationTemplateId": template, "persist": "true"},
    retries=120,
    retry_delay=0.5,
    store_url=True,
    url_storage=FileStorage(str(Path(folder) / "uploads.json")),
)
print("continues" if uploader.url else "begins", flush=True)
while uploader.offset < uploader.get_file_size():
    uploader.upload_chunk()
    print(f"accepted {uploader.offset}", flush=True)
    if 0 < int(stop_at) <= uploader.offset:
        signal.pause()
print(f"done {uploader.request.response_headers['tributary-stream-id']}", flush=True)
