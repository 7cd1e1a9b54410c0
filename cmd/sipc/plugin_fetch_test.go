package main

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// serve serves the tests' programs by https, and says where; the file holds the server's certificate.
func serve(t *testing.T) (address, certificate string) {
	t.Helper()
	routes := http.NewServeMux()
	routes.Handle("/", http.FileServer(http.Dir(programs)))
	routes.Handle("/open/", http.RedirectHandler("http://example.org/sipc-family-mixup", http.StatusFound))
	server := httptest.NewTLSServer(routes)
	t.Cleanup(server.Close)
	certificate = filepath.Join(t.TempDir(), "server.pem")
	raw := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(certificate, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, certificate
}
