//go:build !unix

package live

import "os/exec"

// Without process groups only the server process itself is ended.

func ownGroup(*exec.Cmd) {}

func askGroupToEnd(cmd *exec.Cmd) { killGroup(cmd) }

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}
