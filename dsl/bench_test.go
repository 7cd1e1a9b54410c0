package dsl_test

import (
	"bytes"
	"testing"

	"github.com/sipc-ml/sipc/dsl"
)

// BenchmarkParse parses about 1,000 lines: the specs of the language again and again.
func BenchmarkParse(b *testing.B) {
	var src []byte
	for bytes.Count(src, []byte("\n")) < 1000 {
		for _, s := range corpus(b) {
			src = append(append(src, s...), '\n')
		}
	}
	for name, parse := range map[string]func(){
		"tokens": func() { dsl.Tokens("long.inv", src) },
		"parse":  func() { dsl.Parse("long.inv", src) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				parse()
			}
		})
	}
}
