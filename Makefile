# Targets for people. .ci/run calls the same ones.

.PHONY: test lint live fuzz

test:
	go test ./...

lint:
	scripts/lint

# live installs the pinned real agents below .live and asks them; a missing
# binary fails these tests instead of skipping them, and what they show goes to
# adapters/evidence/evidence.json and EVIDENCE.md.
live:
	scripts/live

fuzz:
	scripts/fuzz
