package claude

import (
	"cmp"
	"strings"
)

// autoModel reports whether a model supports auto mode. Two were measured.
func autoModel(model string) answer {
	switch {
	case strings.HasPrefix(model, "claude-sonnet-4-6"):
		return yes
	case strings.HasPrefix(model, "claude-sonnet-4-5"):
		return no
	}
	return notKnown
}

// startMode is the mode that a session starts in: the flag's, else the settings'
// defaultMode, else default.
func (s *session) startMode(n Native, f flags, all []layer) Mode {
	asked := n.PermissionMode
	if f.mode != nil {
		asked = f.mode
	}
	if asked == nil {
		asked = s.defaultMode(all)
	}
	if *asked == Bypass && !disabled(all, bypassOff) {
		s.launched = true
	}
	return s.permitted(*asked, all)
}

// switchMode is what set_permission_mode leaves: the mode that was asked for, or
// the old one where Claude refuses.
func (s *session) switchMode(asked Mode, all []layer) Mode {
	if asked == Bypass && !s.launched {
		return s.mode
	}
	if now := s.permitted(asked, all); now == asked {
		return now
	}
	return s.mode
}

// permitted falls back to default where the settings switch a mode off, or the
// model doesn't have it.
func (s *session) permitted(asked Mode, all []layer) Mode {
	switch {
	case asked == Bypass && disabled(all, bypassOff),
		asked == Auto && disabled(all, autoOff),
		asked == Auto && s.auto == no:
		return Default
	}
	return asked
}

// defaultMode is the settings' own, the strongest layer's. Nothing below a user's
// settings may open auto, nor, since 2.1.332, bypassPermissions: the mode is then
// default, whatever weaker layers say, unless the other settings come to the same
// mode. 2.1.197 takes bypassPermissions from an untrusted project, too (measured
// 2026-11-30).
func (s *session) defaultMode(all []layer) *Mode {
	mode, granted := Default, Default
	for _, name := range []Layer{UserLayer, ProjectLayer, LocalLayer, FlagLayer, ManagedLayer} {
		for _, l := range all {
			m := l.settings.Permissions.DefaultMode
			if l.name != name || m == nil {
				continue
			}
			mode = m.Mode()
			if name != ProjectLayer && name != LocalLayer {
				granted = mode
			}
		}
	}
	if (mode == Bypass && s.version != V197 || mode == Auto) && granted != mode {
		mode = Default
	}
	return &mode
}

func bypassOff(s Settings) string { return s.Permissions.DisableBypassPermissionsMode }
func autoOff(s Settings) string   { return cmp.Or(s.Permissions.DisableAutoMode, s.DisableAutoMode) }

func disabled(all []layer, key func(Settings) string) bool {
	for _, l := range all {
		if key(l.settings) == "disable" {
			return true
		}
	}
	return false
}

// opens reports whether the mode runs what nothing before it has stopped. In
// 2.1.197 plan does so too where bypass is available.
func (s *session) opens() bool {
	return s.mode == Bypass || s.mode == Plan && s.launched && s.version == V197
}

// classifies reports whether auto mode's classifier decides what nobody has
// permitted. Since 2.1.332 plan has it too, but for changes of files, when the
// model has auto mode.
func (s *session) classifies() bool {
	return s.mode == Auto || s.mode == Plan && s.auto == yes && s.version != V197
}
