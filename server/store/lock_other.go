//go:build !unix

package store

import (
	"os"
	"path/filepath"
)

// lockFolder only leaves the file: here nothing keeps two services apart.
func lockFolder(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, File+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
