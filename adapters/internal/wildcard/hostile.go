package wildcard

import (
	"math/bits"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// findHashed is find at a cost that doesn't depend on what segment and text hold.
// It is slow for ordinary ones, and allocates.
func findHashed(s *segment, text string, p pos) (pos, bool) {
	if s.plain {
		return findRolling(s.text, text, p)
	}
	return findSums(s, text, p)
}

// findRolling compares a hash of the literal with one that rolls along the text
// (Rabin and Karp; the base is random so that nobody can foresee collisions).
func findRolling(literal, text string, p pos) (pos, bool) {
	if p.half {
		p = step(text, p)
	}
	rest := text[p.at:]
	if len(rest) < len(literal) {
		return p, false
	}
	base := rand.Uint64N(prime)
	hash := func(s string) (h uint64) {
		for i := range len(s) {
			h = (h*base + uint64(s[i])) % prime
		}
		return h
	}
	want, have := hash(literal), hash(rest[:len(literal)])
	drop := prime - power(base, uint64(len(literal))) // times the byte that leaves
	for end := len(literal); ; end++ {
		if have == want && strings.HasSuffix(rest[:end], literal) {
			return pos{at: p.at + end}, true
		}
		if end == len(rest) {
			return p, false
		}
		have = (have*base + uint64(rest[end]) + uint64(rest[end-len(literal)])*drop) % prime
	}
}

// findSums gives every code unit of the segment but `?` a random weight. Wherever
// the segment fits, the weighted sum of the text's units under it is the weighted
// sum of its own; elsewhere it hardly ever is. All these sums are one convolution,
// made block by block with a number-theoretic transform, at a cost of n·log n.
func findSums(s *segment, text string, p pos) (pos, bool) {
	var units, sum uint64
	size := uint64(1) << bits.Len(uint(2*min(len(s.text), most)))
	weights := make([]uint32, size)
	for q := (pos{}); q.at < len(s.text) && units < most; q = step(s.text, q) {
		if s.text[q.at] != '?' {
			w := rand.Uint64N(prime)
			weights[(size-units)%size] = uint32(w) // turned around: the sums run along the text
			sum += w * unit(s.text, q) % prime
		}
		units++
	}
	sum = sum % prime * size % prime // as restore multiplies
	w := power(root, (prime-1)/size)
	transform(weights, w)
	block := make([]uint32, size)
	for {
		clear(block)
		n := uint64(0)
		for q := p; q.at < len(text) && n < size; q = step(text, q) {
			block[n] = uint32(unit(text, q))
			n++
		}
		transform(block, w)
		for i := range block {
			block[i] = uint32(uint64(block[i]) * uint64(weights[i]) % prime)
		}
		restore(block, power(w, prime-2))
		for i := uint64(0); i+units <= n; i++ {
			if uint64(block[i]) == sum {
				if end, ok := here(s, text, p); ok {
					return end, true
				}
			}
			p = step(text, p)
		}
		if n < size {
			return p, false
		}
	}
}

// unit is a number for a code unit, the same for both halves of a character.
func unit(text string, p pos) uint64 {
	r, size := utf8.DecodeRuneInString(text[p.at:])
	if size == 1 { // ASCII, or a byte of broken text
		return uint64(text[p.at])
	}
	return uint64(r)
}

const (
	prime = 119<<23 + 1 // has roots of unity for every size up to 2^23
	root  = 3           // generates all of them
	most  = 1 << 20     // so many units of a segment are looked at before comparing
)

// transform is the discrete Fourier transform over the integers modulo prime, its
// result in an order of its own. w is a root of unity whose order is the length.
func transform(a []uint32, w uint64) {
	half := len(a) / 2
	if half == 0 {
		return
	}
	f := uint64(1)
	for i := range half {
		u, v := uint64(a[i]), uint64(a[i+half])
		a[i], a[i+half] = uint32((u+v)%prime), uint32((u+prime-v)*f%prime)
		f = f * w % prime
	}
	transform(a[:half], w*w%prime)
	transform(a[half:], w*w%prime)
}

// restore is the way back from transform, but multiplies by the length. w is the
// inverse of the other's.
func restore(a []uint32, w uint64) {
	half := len(a) / 2
	if half == 0 {
		return
	}
	restore(a[:half], w*w%prime)
	restore(a[half:], w*w%prime)
	f := uint64(1)
	for i := range half {
		u, v := uint64(a[i]), uint64(a[i+half])*f%prime
		a[i], a[i+half] = uint32((u+v)%prime), uint32((u+prime-v)%prime)
		f = f * w % prime
	}
}

func power(base, exponent uint64) uint64 {
	result := uint64(1)
	for ; exponent > 0; exponent /= 2 {
		if exponent%2 == 1 {
			result = result * base % prime
		}
		base = base * base % prime
	}
	return result
}
