package cmd

import (
	"os"
	"path/filepath"
	"time"

	"github.com/modegate/modegate/adapters/evidence"
	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/livebin"
)

// keep writes what a run showed into the evidence file of the repository that we
// stand in: what was recorded and what is fresh, apart. It does so only in a run
// that must have the binaries; what wasn't run is taken out.
func keep(o oracle, r run) error {
	root, err := livebin.ModuleRoot()
	if os.Getenv(livebin.LiveEnv) != "1" || err != nil {
		return nil
	}
	path := filepath.Join(root, "adapters", "evidence", "evidence.json")
	for part, t := range map[string]tally{evidence.Recorded: r.Recorded, evidence.Fresh: r.Fresh} {
		key := o.claim + "/" + part
		if t.Cases == 0 {
			if err := evidence.Drop(path, key); err != nil {
				return err
			}
			continue
		}
		err := evidence.Put(path, evidence.Entry{
			Key: key, Status: evaluator.Verified, By: o.agent.Name + " " + o.agent.Version, Binary: "sha256:" + r.Binary,
			Date:  time.Now().UTC().Format(time.DateOnly),
			Cases: t.Cases, Agreements: t.Cases - t.Disagreements, Disagreements: t.Disagreements,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
