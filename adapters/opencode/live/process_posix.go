//go:build unix && !linux

package live

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a process group of its own, so that signals
// reach its children and nobody else.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
