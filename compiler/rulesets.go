package compiler

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/modegate/modegate/evaluator"
	"github.com/modegate/modegate/internal/strictjson"
)

// ReadRuleSets reads compiled RuleSets back: one, or a list with no cell twice, as
// JSON. White space between the native values doesn't count: it isn't sent. A
// RuleSet whose digest isn't that of its bytes was changed by hand, and is refused.
func ReadRuleSets(data []byte) ([]RuleSet, error) {
	var sets []RuleSet
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		err = strictjson.Decode(data, &sets)
	} else {
		sets = make([]RuleSet, 1)
		err = strictjson.Decode(data, &sets[0])
	}
	if err != nil {
		return nil, err
	}
	if len(sets) == 0 {
		return nil, errors.New("the list holds no RuleSet")
	}
	seen := map[evaluator.Cell]bool{}
	for i := range sets {
		cell := sets[i].Cell()
		switch err := sets[i].check(); {
		case err != nil:
			return nil, fmt.Errorf("/%d: %w", i, err)
		case seen[cell]:
			return nil, fmt.Errorf("/%d: a second RuleSet of %s", i, cell)
		}
		seen[cell] = true
	}
	return sets, nil
}

// Cell is the cell that the RuleSet is of.
func (s RuleSet) Cell() evaluator.Cell {
	return evaluator.Cell{Provider: s.Provider, Mode: s.Mode, Interaction: s.Interaction}
}

// Place finds the policy line that a part of the native settings came from, by its
// JSON Pointer; nil when none stands behind it.
func (s RuleSet) Place(pointer string) *evaluator.Source {
	for i := range s.Sources {
		if s.Sources[i].Pointer == pointer {
			at := s.Sources[i].Source
			return &at
		}
	}
	return nil
}

// check reports what is missing, and takes the white space out of the native bytes.
func (s *RuleSet) check() error {
	switch {
	case s.Provider == "" || s.Mode == "" || s.Interaction == "":
		return errors.New("a RuleSet needs provider, mode and interaction")
	case len(s.Native) == 0:
		return errors.New("a RuleSet needs native")
	}
	if err := s.Native.Compact(); err != nil {
		return fmt.Errorf("native: %w", err)
	}
	if want := digest(s.Cell(), s.Native); s.Digest != want {
		return fmt.Errorf("the digest of %s is %q, and its bytes have %q: compile it anew", s.Cell(), s.Digest, want)
	}
	return nil
}
