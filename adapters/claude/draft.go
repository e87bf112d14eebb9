package claude

import (
	"github.com/modegate/modegate/compiler"
	"github.com/modegate/modegate/policies"
)

func draft(all []*settingsFile) (policies.Draft, []compiler.Loss) {
	return policies.Draft{}, nil
}
