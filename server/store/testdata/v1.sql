-- A database as the first version of the tables had it: session b was closed.
CREATE TABLE events (
	seq     INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	type    TEXT NOT NULL,
	session TEXT NOT NULL,
	turn    TEXT NOT NULL,
	request TEXT NOT NULL,
	native  TEXT NOT NULL,
	data    BLOB NOT NULL,
	private BLOB
) STRICT;
CREATE INDEX events_session ON events (session, seq);
CREATE INDEX events_request ON events (request, seq) WHERE request <> '';
CREATE INDEX events_native ON events (session, native, seq) WHERE native <> '';
CREATE INDEX events_type ON events (type, seq);
CREATE TABLE sessions (id TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE turns (session TEXT NOT NULL, id TEXT NOT NULL, ended INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (session, id)) STRICT;
CREATE TABLE approvals (id TEXT PRIMARY KEY, session TEXT NOT NULL, state TEXT NOT NULL, opened INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX approvals_state ON approvals (state, opened);
INSERT INTO sessions VALUES ('a', CAST('{"id":"a"}' AS BLOB));
INSERT INTO events (at, type, session, turn, request, native, data) VALUES
	(1000, 't', 'a', '', '', '', CAST('{}' AS BLOB)),
	(2000, 't', 'b', '', '', '', CAST('{}' AS BLOB)),
	(3000, 't', 'b', '', '', '', CAST('{}' AS BLOB)),
	(4000, 't', 'a', '', '', '', CAST('{}' AS BLOB));
PRAGMA user_version = 1;
