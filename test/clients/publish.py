# A program against the API, with the client that openapi-python-client generates from /openapi.json: clients.test.ts
# generates the package dropleaf_api and runs this file with it. usage: publish.py BASE_URL TOKEN
import json
import sys
from io import BytesIO

from dropleaf_api.api.drops import change_drop, create_drop, delete_drop, list_drops, read_drop, replace_drop
from dropleaf_api.client import AuthenticatedClient
from dropleaf_api.models import (
    ChangeDropBody,
    CreateDropBody,
    CreateDropBodyMetadata,
    ListDropsFilters,
)
from dropleaf_api.types import File

base_url, token = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=token)
metadata = CreateDropBodyMetadata.from_dict({"project": "python"})
page = CreateDropBody(title="Generated", html="<p>One", metadata=metadata, passcode="open sesame")

created = create_drop.sync(client=client, body=page)
slug = created.slug
filters = ListDropsFilters.from_dict({"metadata.project": "python"})
listed = list_drops.sync(client=client, filters=filters)
document = File(payload=BytesIO("<title>Drei</title><p>Größe".encode()))
replaced = replace_drop.sync(slug, client=client, body=document, title="Three")
changed = change_drop.sync(slug, client=client, body=ChangeDropBody(title="Changed"))
removed = delete_drop.sync_detailed(slug, client=client)
gone = read_drop.sync(slug, client=client)

outcome = {
    "slug": slug,
    "locked": created.locked,
    "found": [drop.slug for drop in listed.data],
    "latest_version": replaced.latest_version,
    "title": changed.title,
    "removed": removed.status_code,
    "gone": gone.error.code,
}
print(json.dumps(outcome))
