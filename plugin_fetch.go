package sipc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/plugins/host/lock"
	"github.com/sipc-ml/sipc/plugins/host/process"
)

// The bounds of what is fetched; the largest program is process.MaxProgram.
const (
	fetchTimeout  = 10 * time.Minute
	mostRedirects = 10
)

// webAddress returns the address that a source is; nil if it is a path.
func webAddress(source string) *url.URL {
	address, err := url.Parse(source)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") {
		return nil
	}
	return address
}

// bare returns an address without parts that may be secret: its user, and its query (a signature, a token).
func bare(address *url.URL) string {
	return (&url.URL{Scheme: address.Scheme, Host: address.Host, Path: address.Path, RawPath: address.RawPath}).String()
}

// programName returns the name of the program at an address.
func programName(address *url.URL) (string, error) {
	name := path.Base(address.Path)
	if name == "/" || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%s: the address does not end in the name of a program", bare(address))
	}
	return name, nil
}

// safe tells of an address from which anything might come. It holds for those that a server redirects to as well.
func safe(address *url.URL, o *AddOptions) error {
	host := address.Hostname()
	if address.Scheme == "http" && o.SHA256 == "" && host != "localhost" && host != "127.0.0.1" && host != "::1" {
		return fmt.Errorf("%s: what comes over http may be changed on its way; use https, or say which --sha256 it has", bare(address))
	}
	return nil
}

// fetch downloads a program to a stage. The address is checked already.
func fetch(ctx context.Context, address *url.URL, stage *lock.Stage, name string, o *AddOptions) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return "", err
	}
	client := &http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) >= mostRedirects {
			return fmt.Errorf("it is redirected more than %d times", mostRedirects)
		}
		return safe(next.URL, o)
	}}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("%s: %w", bare(address), reason(err))
	}
	defer response.Body.Close() //nolint:errcheck // only read
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: the server answers %s", bare(address), response.Status)
	}
	program := filepath.Join(stage.Dir, name)
	if err := save(response.Body, program, o.SHA256); err != nil {
		return "", fmt.Errorf("%s: %w", bare(address), err)
	}
	return program, nil
}

// reason returns why a request failed, without the address, which may hold secrets.
func reason(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// save writes a program, if it is the one that is asked for.
func save(from io.Reader, program, want string) error {
	file, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	got, err := process.Digest(file, from)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if want != "" && !strings.EqualFold(want, got) {
		return fmt.Errorf("it is not the program that was asked for\n    expected sha256 %s\n    actual   sha256 %s", want, got)
	}
	return nil
}
