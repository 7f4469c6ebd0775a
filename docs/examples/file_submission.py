"""Files a rules submission as one person and has it approved by another."""

import json
import sys
from pathlib import Path

import httpx

registry, people, document = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3]).read_bytes()
token = {person["person"]: f"Bearer {person['token']}" for person in people}

headers = {"Authorization": token["demo.filer"], "Idempotency-Key": "first", "Content-Type": "application/json"}
filed = httpx.post(f"{registry}/submissions", content=document, headers=headers).raise_for_status().json()

version = f"{registry}/submissions/{filed['property']}/{filed['game']}/{filed['version']}"
headers = {"Authorization": token["demo.approver"], "Idempotency-Key": "first-approval"}
approved = httpx.post(f"{version}/approve", headers=headers).raise_for_status().json()
print(f"version {approved['version']} is approved; its hash is {approved['hash']}")
