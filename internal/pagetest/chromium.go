package pagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// browsersOwn are hosts that Chromium itself asks about updates, time and accounts, whatever page it shows.
var browsersOwn = []string{"google.com", "googleapis.com", "gvt1.com", "gstatic.com"}

// Seen is what a browser made of a page.
type Seen struct {
	Document string   // after all has run
	Console  []string // what the console says
	Asked    []string // addresses that were asked for, without the page itself and those of the browser's own
}

// InChromium opens a page in a real browser without a window. Without a browser the test is skipped. No host is reached.
func InChromium(t *testing.T, page string) *Seen {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no chromium: apt-get install chromium")
	}
	page, err := filepath.Abs(page)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "net.json")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", //nolint:gosec // the browser of this machine
		"--disable-component-update", "--disable-sync", "--disable-default-apps", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--log-net-log="+log, "--dump-dom", (&url.URL{Scheme: "file", Path: page}).String())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, stderr.String())
	}
	out := &Seen{Document: stdout.String()}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			out.Console = append(out.Console, strings.TrimSpace(line))
		}
	}
	for _, asked := range requests(t, log) {
		if u, err := url.Parse(asked); err != nil || u.Scheme != "data" && u.Scheme != "file" && !ofBrowser(u.Hostname()) {
			out.Asked = append(out.Asked, asked)
		}
	}
	return out
}

// ofBrowser reports whether a host is one of the browser's own.
func ofBrowser(host string) bool {
	return slices.ContainsFunc(browsersOwn, func(own string) bool { return host == own || strings.HasSuffix(host, "."+own) })
}

// requests returns the addresses that a browser asked for, by its log of the network.
func requests(t *testing.T, log string) (out []string) {
	t.Helper()
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Events []struct {
			Params struct {
				URL string `json:"url"`
			} `json:"params"`
		} `json:"events"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, e := range all.Events {
		if e.Params.URL != "" {
			out = append(out, e.Params.URL)
		}
	}
	return out
}
