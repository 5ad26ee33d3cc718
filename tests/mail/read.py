"""Prints what Python's own mail parser sees in a mail, as JSON. usage: read.py FILE"""

import email
import email.policy
import json
import sys

with open(sys.argv[1], "rb") as file:
    raw = file.read()
mail = email.message_from_bytes(raw, policy=email.policy.default)
sender = mail["From"].addresses[0]
parts = [part for part in mail.walk() if not part.is_multipart()]
json.dump(
    {
        "subject": mail["Subject"],
        "sender": [sender.display_name, sender.addr_spec],
        "to": str(mail["To"]),
        "message_id": mail["Message-ID"],
        "date": mail["Date"].datetime.isoformat(),
        "auto_submitted": mail["Auto-Submitted"],
        "type": mail.get_content_type(),
        "parts": {part.get_content_type(): part.get_content() for part in parts},
        "defects": [str(defect) for part in mail.walk() for defect in part.defects],
        "longest_line": max(len(line) for line in raw.splitlines()),
    },
    sys.stdout,
)
