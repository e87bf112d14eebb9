//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

// askGroupToEnd sends SIGTERM to the group. The process has not been waited
// for, so its id is still its own.
func askGroupToEnd(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }

// killGroup sends SIGKILL to whatever is left of the group.
func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// signalGroup ignores the error: a group that is gone needs no signal.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) {
	if cmd.Process != nil && cmd.Process.Pid > 1 {
		_ = syscall.Kill(-cmd.Process.Pid, sig)
	}
}
