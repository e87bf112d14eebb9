package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// AdminTokenFile is where the data folder keeps the token that is made when no
// tokens are given.
const AdminTokenFile = "admin-token"

var goodToken = regexp.MustCompile(`^mg_[A-Z2-7]{26}$`)

// NewToken makes a token that nobody can guess.
func NewToken() string { return "mg_" + rand.Text() }

// MakeData makes the data folder, for its owner alone. It keeps itself out of
// git.
func MakeData(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(ignore, []byte("*\n"), 0o600)
	}
	return nil
}

// AdminToken reads the data folder's admin token, or makes one. A token that
// others could read is replaced.
func AdminToken(dir string) (token string, err error) {
	path := filepath.Join(dir, AdminTokenFile)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writeToken(path)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file: remove it", path)
	case info.Mode().Perm()&0o077 != 0:
		if err := os.Remove(path); err != nil {
			return "", err
		}
		return writeToken(path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if token = strings.TrimSpace(string(data)); !goodToken.MatchString(token) {
		return "", fmt.Errorf("%s doesn't hold a token: remove it, and a new one is made", path)
	}
	return token, nil
}

func writeToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	token := NewToken()
	_, err = f.WriteString(token + "\n")
	return token, errors.Join(err, f.Close())
}
