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

// A Progress shows what a run is at. On a terminal it is one line that is written over. Elsewhere it is a line every few seconds, the
// first after as long, so that short work shows nothing. Its methods may be called from several goroutines, and on nil.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	width func() int // of a terminal; nil elsewhere
	now   func() time.Time
	stop  chan struct{} // ends the lines; nil on a terminal

	stage       string
	done, total int
	began, last time.Time
	shown       bool
}

// refreshEvery is the least time between two changes of a terminal's line.
const refreshEvery = 100 * time.Millisecond

// NewProgress shows progress on a terminal, or else writes lines as often as every says. Close ends it.
func NewProgress(file *os.File, every time.Duration) *Progress {
	fd := int(file.Fd())
	p := &Progress{w: file, now: time.Now}
	if !term.IsTerminal(fd) {
		p.stop = make(chan struct{})
		ticker := time.NewTicker(every)
		go func() {
			defer ticker.Stop()
			p.lines(ticker.C)
		}()
		return p
	}
	p.width = func() int {
		width, _, err := term.GetSize(fd)
		if err != nil || width < 1 {
			return 80
		}
		return width
	}
	return p
}

// lines writes a line at each tick, until Close.
func (p *Progress) lines(ticks <-chan time.Time) {
	for {
		select {
		case <-p.stop:
			return
		case <-ticks:
			p.line()
		}
	}
}

func (p *Progress) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != "" {
		p.print(p.text() + "\n")
	}
}

// Stage begins a stage of the run: "solving the embeddings". A terminal shows it at once.
func (p *Progress) Stage(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.done, p.total, p.began = name, 0, 0, p.now()
	p.last = p.began
	p.show(name + " …")
}

// Step says how much of the stage is done. On a terminal, steps that follow each other closely are left out.
func (p *Progress) Step(done, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	now := p.now()
	if now.Sub(p.last) < refreshEvery {
		return
	}
	p.last = now
	p.show(p.text())
}

// text returns the stage, how much of it is done, and when the rest may be.
func (p *Progress) text() string {
	spent := p.now().Sub(p.began)
	if p.total <= 0 {
		return fmt.Sprintf("%s … for %s", p.stage, span(spent))
	}
	text := fmt.Sprintf("%s … %d of %d", p.stage, p.done, p.total)
	if p.total != 100 {
		text += fmt.Sprintf(" (%d %%)", 100*p.done/p.total)
	}
	if p.done > 0 && p.done < p.total {
		left := float64(spent) * float64(p.total-p.done) / float64(p.done)
		text += fmt.Sprintf(", about %s left", span(time.Duration(left)))
	}
	return text
}

// span returns a time as people say it.
func span(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// Clear takes a terminal's line away. Call it before anything else is printed.
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

// Close shows nothing more. It is called once, at the end.
func (p *Progress) Close() {
	if p == nil {
		return
	}
	p.Clear()
	if p.stop != nil {
		close(p.stop)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = ""
}

// show writes over a terminal's line, cut to the terminal so that it stays one.
func (p *Progress) show(text string) {
	if p.width == nil {
		return
	}
	p.print("\r" + runewidth.Truncate(text, max(1, p.width()-1), "…") + "\x1b[K")
	p.shown = true
}

// print writes to the terminal or file; that it has gone is no reason to end the run.
func (p *Progress) print(text string) { _, _ = io.WriteString(p.w, text) }
