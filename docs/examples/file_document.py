"""Files a property or a rules submission as one person and has it approved by another."""

import json
import sys
from pathlib import Path

import httpx
import yaml

registry, people, kind, document = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), *sys.argv[3:]
token = {person["person"]: f"Bearer {person['token']}" for person in people}
content = json.dumps(yaml.safe_load(Path(document).read_text()), default=str)

headers = {"Authorization": token["demo.filer"], "Idempotency-Key": f"first-{kind}", "Content-Type": "application/json"}
filed = httpx.post(f"{registry}/{kind}", content=content, headers=headers).raise_for_status()

headers = {"Authorization": token["demo.approver"], "Idempotency-Key": f"approve-{kind}"}
version = f"{registry}{filed.headers['Location']}"
shown = httpx.get(version, headers=headers).raise_for_status().json()  # what the approver looks at, whole
approval = {"subject_sha256": shown["sha256"]}  # of that, and of nothing else
approved = httpx.post(f"{version}/approve", json=approval, headers=headers).raise_for_status().json()
print(f"version {approved['version']} is approved; its hash is {approved['hash']}")
