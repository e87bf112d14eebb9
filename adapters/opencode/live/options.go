package live

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say how to start a server.
type Options struct {
	Binary string // path of the opencode binary; required
	Dir    string // working directory of the server process; required
	// Home isolates the server: HOME and the XDG folders lie in it, proxies and
	// OPENCODE_* settings of this process are not passed on, and the binary is
	// told to fetch nothing. Empty means the user's own environment, for real
	// use. The folder is created.
	Home string
	Port int // 0 chooses a free one
	// Password guards the server with HTTP basic authentication (user
	// "opencode"). Empty makes a random one, so that no other program on the
	// machine can answer a permission request.
	Password string
	Env      []string // more variables, "NAME=value"; they win over the rest
	Log      io.Writer
	// StartTimeout bounds the wait for the listening line; 0 means a minute
	// (1.6 to 5.1 s were measured on two shared cores).
	StartTimeout time.Duration
	// StopTimeout is how long Stop waits after asking before it kills; 0 means
	// five seconds.
	StopTimeout time.Duration
}

func (o Options) withDefaults() Options {
	if o.StartTimeout <= 0 {
		o.StartTimeout = time.Minute
	}
	if o.StopTimeout <= 0 {
		o.StopTimeout = 5 * time.Second
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	return o
}

// ConfigDir is the folder of the global opencode.json of a server that is
// isolated in home.
func ConfigDir(home string) string { return filepath.Join(home, ".config", "opencode") }

// environment builds the server's environment out of this process's.
func (o Options) environment(own []string) []string {
	env := make([]string, 0, len(own)+16)
	noProxy := "127.0.0.1,localhost,::1"
	for _, kv := range own {
		name, value, _ := strings.Cut(kv, "=")
		upper := strings.ToUpper(name)
		if upper == "NO_PROXY" {
			if o.Home == "" && value != "" && !strings.Contains(noProxy, value) {
				noProxy = value + "," + noProxy
			}
			continue
		}
		if o.Home != "" && (strings.HasSuffix(upper, "_PROXY") || strings.HasPrefix(upper, "OPENCODE") || strings.HasPrefix(upper, "XDG_") || upper == "HOME") {
			continue
		}
		env = append(env, kv)
	}
	env = append(env, "NO_PROXY="+noProxy, "no_proxy="+noProxy, "OPENCODE_SERVER_PASSWORD="+o.Password)
	if o.Home != "" {
		env = append(env,
			"HOME="+o.Home,
			"XDG_CONFIG_HOME="+filepath.Join(o.Home, ".config"),
			"XDG_DATA_HOME="+filepath.Join(o.Home, ".local", "share"),
			"XDG_STATE_HOME="+filepath.Join(o.Home, ".local", "state"),
			"XDG_CACHE_HOME="+filepath.Join(o.Home, ".cache"),
			"OPENCODE_DISABLE_MODELS_FETCH=1",
			"OPENCODE_DISABLE_AUTOUPDATE=1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		)
	}
	return append(env, o.Env...)
}

// makeHome creates the folders that an isolated server expects.
func (o Options) makeHome() error {
	if o.Home == "" {
		return nil
	}
	return os.MkdirAll(ConfigDir(o.Home), 0o755)
}
