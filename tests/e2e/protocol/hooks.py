"""hooks.py: a receiver of webhooks for tests: it checks signatures, and fails when it is told to."""
import hashlib
import hmac
import http.server
import json
import threading
import time

SECRET = "a secret of a webhook for tests"


class Receiver:
    """Listens on loopback.  `events` are those that it has confirmed, in order."""

    def __init__(self, port=0):
        self.events, self.attempts, self.wrong = [], [], []
        self.status, self.delay_s, self.location = 200, 0, None
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.handle(self)

            def do_GET(self):
                receiver.wrong.append("a GET: a redirect was followed")
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def handle(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        event = json.loads(body)
        stamp = request.headers["Cairn-Timestamp"]
        signed = hmac.new(SECRET.encode(), stamp.encode() + b"." + body, hashlib.sha256)
        if request.headers["Cairn-Signature"] != "v1=" + signed.hexdigest():
            self.wrong.append(f"signature of {event}")
        if request.headers["Cairn-Event-Id"] != event["id"]:
            self.wrong.append(f"id of {event}")
        if abs(int(stamp) - time.time()) > 60:
            self.wrong.append(f"time of {event}")
        self.attempts.append(event)
        status = self.status
        time.sleep(self.delay_s)
        if 200 <= status < 300:
            self.events.append(event)
        request.send_response(status)
        if self.location:
            request.send_header("Location", self.location)
        request.send_header("Content-Length", "0")
        request.end_headers()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def of(self, room):
        """The names of a room's events, without repeated ones; checks their order."""
        names, seen, last = [], {}, 0
        for event in self.events:
            if event["room"]["id"] != room:
                continue
            number = int(event["sequence"])
            if event["id"] in seen:
                assert seen[event["id"]] == number, "one id, one event"
                continue
            assert number not in seen.values(), f"event {number} has two ids"
            assert number == last + 1, f"event {number} comes after {last}"
            seen[event["id"]] = last = number
            names.append(event["event"])
        assert not self.wrong, self.wrong
        return names
