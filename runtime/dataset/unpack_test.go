package dataset

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestUnpackedBytesAreBounded(t *testing.T) {
	for size, refused := range map[int]bool{99: false, 100: false, 101: true} {
		_, err := io.ReadAll(&unpackReader{strings.NewReader(strings.Repeat("x", size)), "a.csv.gz", 100})
		var known *Error
		if got := errors.As(err, &known); got != refused || refused && (known.File != "a.csv.gz" || known.Mend == "") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
