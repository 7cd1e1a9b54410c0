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
	"sync/atomic"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins/host/lock"
	"github.com/sipc-ml/sipc/plugins/host/process"
)

// mostRedirects bounds the way to a program; its size is bounded by process.MaxProgram.
const mostRedirects = 10

// A pace is how fast a server must be: so many bytes at least in each pause, and all of them in the whole time.
type pace struct {
	pause time.Duration
	least int64
	whole time.Duration
}

// follow returns a context that ends where a server falls behind. What has come is counted by its reader.
func (p pace) follow(ctx context.Context, came *atomic.Int64) (context.Context, context.CancelFunc) {
	ctx, end := context.WithTimeoutCause(ctx, p.whole, fmt.Errorf("the download is not done after %v", p.whole))
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		pause := time.NewTicker(p.pause)
		defer pause.Stop()
		for before := int64(0); ; before = came.Load() {
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
			if n := came.Load() - before; n < p.least {
				cancel(fmt.Errorf("the server is silent or too slow: %d bytes came in %v", n, p.pause))
			}
		}
	}()
	return ctx, func() { cancel(nil); end() }
}

// counted is a reader that counts.
type counted struct {
	io.Reader
	came *atomic.Int64
}

// Read reads and counts.
func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.came.Add(int64(n))
	return n, err
}

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
	program := filepath.Join(stage.Dir, name)
	asked := pace{limits.DownloadPause, limits.DownloadLeast, limits.DownloadTime}
	if err := asked.download(ctx, address, program, o); err != nil {
		return "", fmt.Errorf("%s: %w", bare(address), err)
	}
	return program, nil
}

// download writes what is at an address to a file. Its errors hold no secrets of the address.
func (p pace) download(ctx context.Context, address *url.URL, program string, o *AddOptions) error {
	var came atomic.Int64
	ctx, stop := p.follow(ctx, &came)
	defer stop()
	err := get(ctx, address, o, func(body io.Reader) error { return save(counted{body, &came}, program, o.SHA256) })
	if late := context.Cause(ctx); err != nil && late != nil {
		return fmt.Errorf("%w; try again later, or fetch the file by other means and add that: sipc plugin add FILE", late)
	}
	return err
}

// get asks a server for what is at an address.
func get(ctx context.Context, address *url.URL, o *AddOptions, take func(body io.Reader) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return reason(err)
	}
	client := &http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) >= mostRedirects {
			return fmt.Errorf("it is redirected more than %d times", mostRedirects)
		}
		return safe(next.URL, o)
	}}
	response, err := client.Do(request)
	if err != nil {
		return reason(err)
	}
	defer response.Body.Close() //nolint:errcheck // only read
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", response.Status)
	}
	return take(response.Body)
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
