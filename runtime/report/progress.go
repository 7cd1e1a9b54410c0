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
	stop  func()

	stage         string // empty where there is nothing to show
	note          string // behind what is done of it
	done, total   int
	from          int // what was done when the stage began
	began         time.Time
	hidden, shown bool // of a terminal's line: it waits for news, and it stands there
}

// refreshEvery is the time between two changes of a terminal's line.
const refreshEvery = 100 * time.Millisecond

// NewProgress shows progress on a terminal, or else writes lines as often as every says. Close ends it.
func NewProgress(file *os.File, every time.Duration) *Progress {
	p := &Progress{w: file, now: time.Now}
	if fd := int(file.Fd()); term.IsTerminal(fd) {
		every = refreshEvery
		p.width = func() int {
			width, _, err := term.GetSize(fd)
			if err != nil || width < 1 {
				return 80
			}
			return width
		}
	}
	ticker, done := time.NewTicker(every), make(chan struct{})
	p.stop = func() { ticker.Stop(); close(done) }
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.show()
			}
		}
	}()
	return p
}

// show writes a line, or over a terminal's line, cut to the terminal so that it stays one.
func (p *Progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.stage == "" || p.hidden:
	case p.width == nil:
		p.print(p.text() + "\n")
	default:
		p.print("\r" + runewidth.Truncate(p.text(), max(1, p.width()-1), "…") + "\x1b[K")
		p.shown = true
	}
}

// Stage begins a stage of the run: "solving the embeddings".
func (p *Progress) Stage(name string) {
	if p != nil {
		p.set(func() {
			p.stage, p.note, p.done, p.total, p.from, p.began, p.hidden = name, "", 0, 0, 0, p.now(), false
		})
	}
}

// Note says something of the stage behind what is done of it, in place of what was said before.
func (p *Progress) Note(text string) {
	if p != nil {
		p.set(func() { p.note = text })
	}
}

// Step says how much of the stage is done.
func (p *Progress) Step(done, total int) {
	if p != nil {
		p.set(func() {
			if p.total == 0 && p.now().Sub(p.began) < refreshEvery || p.done == p.total && done < p.done { // it goes on, or begins once more
				p.from, p.began = done, p.now()
			}
			p.done, p.total, p.hidden = done, total, false
		})
	}
}

// Clear takes a terminal's line away until there is news. Call it before anything else is printed.
func (p *Progress) Clear() {
	if p != nil {
		p.set(p.clear)
	}
}

func (p *Progress) clear() {
	if p.hidden = p.width != nil; p.shown {
		p.print("\r\x1b[K")
		p.shown = false
	}
}

// Close shows nothing more. It is called once, at the end.
func (p *Progress) Close() {
	if p != nil {
		p.stop()
		p.set(func() { p.clear(); p.stage = "" })
	}
}

func (p *Progress) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
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
	if p.done > max(1, p.from) && p.done < p.total { // one part alone may be far easier than the others
		left := float64(spent) * float64(p.total-p.done) / float64(p.done-p.from)
		text += fmt.Sprintf(", about %s left", span(time.Duration(left)))
	}
	return text + p.note
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

// print writes to the terminal or file; that it has gone is not a reason to end the run.
func (p *Progress) print(text string) { _, _ = io.WriteString(p.w, text) }
