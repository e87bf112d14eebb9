package server

import (
	"crypto/sha256"
	"sync"

	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// maxByEnv is how many cells a snapshot remembers that were compiled for an Env.
const maxByEnv = 256

// envCache remembers cells by what they were compiled for. The zero value is
// empty.
type envCache struct {
	mu   sync.Mutex
	byID map[envKey]*compiler.Compiled
}

type envKey struct {
	cell    evaluator.Cell
	version string
	env     [sha256.Size]byte
}

func envKeyOf(at evaluator.Cell, env evaluator.Env, version string) (envKey, error) {
	text, err := strictjson.Encode(env)
	return envKey{at, version, sha256.Sum256(text)}, err
}

func (e *envCache) get(k envKey) *compiler.Compiled {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.byID[k]
}

// put remembers a cell. When the cache is full, some other is forgotten.
func (e *envCache) put(k envKey, c *compiler.Compiled) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byID == nil {
		e.byID = map[envKey]*compiler.Compiled{}
	}
	for old := range e.byID {
		if len(e.byID) < maxByEnv {
			break
		}
		delete(e.byID, old)
	}
	e.byID[k] = c
}
