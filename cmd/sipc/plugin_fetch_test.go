package main

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// serve serves the tests' programs by https, and says where; the file holds the server's certificate.
func serve(t *testing.T) (address, certificate string) {
	t.Helper()
	routes := http.NewServeMux()
	routes.Handle("/", http.FileServer(http.Dir(programs)))
	routes.HandleFunc("/endless/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("the beginning"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	routes.Handle("/open/", http.RedirectHandler("http://example.org/sipc-family-mixup", http.StatusFound))
	routes.HandleFunc("/steering/", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = conn.Write([]byte("HTTP/1.1 404 gone \x1b[2J\u009b2J\r\n\r\n"))
			_ = conn.Close()
		}
	})
	server := httptest.NewTLSServer(routes)
	t.Cleanup(server.Close)
	certificate = filepath.Join(t.TempDir(), "server.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, certificate
}

// What is being fetched stays while who fetches it lives, and is gone after the next addition if that was killed.
func TestKilledFetch(t *testing.T) {
	server, certificate := serve(t)
	dir := t.TempDir()
	env := []string{"SSL_CERT_FILE=" + certificate}
	fetching := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), "plugin", "add", server+"/endless/family")
	fetching.Dir, fetching.Env = dir, append(os.Environ(), env...)
	if err := fetching.Start(); err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		paths, err := filepath.Glob(filepath.Join(dir, "sipc-plugins", ".fetched-*", "family"))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	for start := time.Now(); len(left()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			t.Fatal("nothing is fetched")
		}
	}
	succeed(t, dir, env, "plugin", "add", server+"/sipc-family-mixup")
	if len(left()) != 1 {
		t.Error("what is being fetched is swept")
	}
	if err := fetching.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = fetching.Wait()
	succeed(t, dir, env, "plugin", "add", server+"/sipc-family-mixup")
	entries, err := os.ReadDir(filepath.Join(dir, "sipc-plugins"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "sipc-family-mixup" {
		t.Errorf("%v is left, %v", entries, err)
	}
}

// Two additions at once both count.
func TestAdditionsAtOnce(t *testing.T) {
	server, certificate := serve(t)
	dir := t.TempDir()
	names := []string{"mixup", "hierarchy", "transform", "swaps"}
	ended := make(chan outcome, len(names))
	for _, name := range names {
		go func() {
			ended <- program(t, dir, []string{"SSL_CERT_FILE=" + certificate}, "plugin", "add", server+"/sipc-family-"+name)
		}()
	}
	for range names {
		if out := <-ended; out.status != 0 {
			t.Errorf("exit status %d: %s", out.status, out.stderr)
		}
	}
	var list []struct{ Name, State string }
	if err := json.Unmarshal(succeed(t, dir, nil, "plugin", "list", "--json").stdout, &list); err != nil || len(list) != len(names) {
		t.Errorf("%+v is pinned, %v", list, err)
	}
}
