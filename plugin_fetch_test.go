package sipc

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server that is silent or drips is given up, and one that is slow is not.
func TestPaceOfDownloads(t *testing.T) {
	// drip sends so many times so many bytes, one time after the other.
	drip := func(times, bytesEach int, between time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for range times {
				_, _ = w.Write(bytes.Repeat([]byte{'x'}, bytesEach))
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(between):
				}
			}
		}
	}
	const least, long = 1000, time.Hour
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		pace    pace
		want    string // in the error; empty for none
	}{
		{"silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, pace{50 * time.Millisecond, least, long}, "0 bytes came in 50ms"},
		{"silent after its beginning", drip(1, 10, long), pace{50 * time.Millisecond, least, long}, "bytes came in 50ms"},
		{"dripping", drip(1e6, 1, time.Millisecond), pace{100 * time.Millisecond, least, long}, "bytes came in 100ms"},
		{"endless", drip(1e6, 100*least, time.Millisecond), pace{long, least, 100 * time.Millisecond}, "the download is not done after 100ms"},
		{"slow", drip(20, 10, time.Millisecond), pace{long, least, long}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(c.handler)
			defer server.Close()
			address, err := url.Parse(server.URL + "/family")
			if err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(t.TempDir(), "family")
			err = c.pace.download(t.Context(), address, program, &AddOptions{})
			if c.want == "" {
				if info, statErr := os.Stat(program); err != nil || statErr != nil || info.Size() != 200 {
					t.Errorf("%v, %v", err, statErr)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want+"; try again later, or fetch the file by other means and add that: sipc plugin add FILE") {
				t.Errorf("%v, want one with %q", err, c.want)
			}
		})
	}
}
