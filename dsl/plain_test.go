package dsl

import "testing"

// FuzzPlain asserts that what is cut off without the lexer's rules is what they cut off.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{
		"invariance a2 = rms over x of |d/dλ f| # why\n", "4n 10deg 1.5e-3 .5 12 1e 3.x 2·3 7−1 8° a\u0301b a\u00a0b", "a \t\r\n \f#\r\n", "<= == = != ! < >= ≤",
		"\"a\\\"b\" \"open", "x\ufeffy 1\u0301 1²", "", "\r\r\n", "a / b // c", "a /* b", "/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for line != "" {
			kind, n := byRules(line)
			if k, m := plain(line); m != 0 && (k != kind || m != n) {
				t.Fatalf("%q begins with %d bytes of kind %d by the rules, and %d of kind %d", line, n, kind, m, k)
			}
			line = line[n:]
		}
	})
}
