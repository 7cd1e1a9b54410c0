package report

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// A Progress shows what a run is at, on one line that it writes over. It shows nothing where it was not given a terminal.
// Its methods may be called from several goroutines, and on nil.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	width func() int
	now   func() time.Time

	stage string
	last  time.Time
	shown bool
}

// refreshEvery is the least time between two changes of the line.
const refreshEvery = 100 * time.Millisecond

// NewProgress shows progress on a terminal. Where the file is none it returns nil, which shows nothing.
func NewProgress(file *os.File) *Progress {
	fd := int(file.Fd())
	if !term.IsTerminal(fd) {
		return nil
	}
	return &Progress{w: file, now: time.Now, width: func() int {
		width, _, err := term.GetSize(fd)
		if err != nil || width < 1 {
			return 80
		}
		return width
	}}
}

// Stage begins a stage of the run: "solving the embeddings". It is shown at once.
func (p *Progress) Stage(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.last = name, p.now()
	p.show(name + " …")
}

// Step says how much of the stage is done. Steps that follow each other closely are left out.
func (p *Progress) Step(done, total int, detail string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.last) < refreshEvery {
		return
	}
	p.last = now
	text := fmt.Sprintf("%s … %d of %d", p.stage, done, total)
	if detail != "" {
		text += ", " + detail
	}
	p.show(text)
}

// Clear takes the line away. Call it before anything else is printed, and at the end.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.print("\r\x1b[K")
		p.shown = false
	}
}

// show writes over the line, cut to the terminal so that it stays one.
func (p *Progress) show(text string) {
	p.print("\r" + runewidth.Truncate(text, max(1, p.width()-1), "…") + "\x1b[K")
	p.shown = true
}

// print writes to the terminal; that it has gone is no reason to end the run.
func (p *Progress) print(text string) { _, _ = io.WriteString(p.w, text) }
