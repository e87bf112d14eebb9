package server

type quickKey struct{ provider, mode, interaction string }

type quickCell struct{}

func newQuickCell(*cell) *quickCell { return nil }

func (snap *snapshot) quickly([]byte) []byte { return nil }
