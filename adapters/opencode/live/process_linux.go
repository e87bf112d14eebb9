package live

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a process group of its own, so that signals
// reach its children and nobody else. Should this process be killed, the kernel
// ends the server: nobody is left to answer it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
