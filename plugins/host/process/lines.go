package process

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
)

// The bounds of a process's last words.
const (
	lastLines  = 6
	lineLength = 300
)

// Lines keeps the last lines that a process writes, and hands all of them to a log.
type Lines struct {
	mu     sync.Mutex
	name   string // before each line of the log
	log    io.Writer
	room   int64 // how much more the log takes
	lines  []string
	panic  string // the first line of a panic, which a long trace follows
	called string // the last function of package main in the trace, as long as its place is not known
	place  string // the first of them, and its file and line
	unread []byte // a line that has no end yet
}

func newLines(name string, log io.Writer) *Lines {
	return &Lines{name: name, log: log, room: LogLimit}
}

// Write takes what the process writes. It never fails, as that would stop the process.
func (w *Lines) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	for {
		line, rest, found := bytes.Cut(p, []byte{'\n'})
		if room := 4*lineLength - len(w.unread); room > 0 {
			w.unread = append(w.unread, line[:min(room, len(line))]...)
		}
		if !found {
			return n, nil
		}
		w.line(string(w.unread))
		w.keep(Clip(string(w.unread)))
		w.unread, p = w.unread[:0], rest
	}
}

// LogLimit is how much the log takes of one process, in bytes; a line says that it was cut there.
const LogLimit = 16 << 20

// keep hands a line to the log, as long as there is room.
func (w *Lines) keep(s string) {
	if w.log == nil || w.room <= 0 {
		return
	}
	s = w.name + ": " + s + "\n"
	if w.room -= int64(len(s)); w.room <= 0 {
		s = fmt.Sprintf("%s: sipc cuts the log of this process here, after %d MiB\n", w.name, LogLimit>>20)
	}
	_, _ = io.WriteString(w.log, s)
}

func (w *Lines) line(s string) {
	s = Clip(strings.TrimRight(s, " \t\r"))
	if s == "" {
		return
	}
	if w.panic == "" && (strings.HasPrefix(s, "panic: ") || strings.HasPrefix(s, "fatal error: ")) {
		w.panic = s
	}
	w.trace(s)
	if len(w.lines) == lastLines {
		copy(w.lines, w.lines[1:])
		w.lines = w.lines[:lastLines-1]
	}
	w.lines = append(w.lines, s)
}

// trace finds the first frame of package main in the trace of a panic: the line after a function's has its file and line.
func (w *Lines) trace(s string) {
	switch {
	case w.panic == "" || w.place != "":
	case strings.HasPrefix(s, "main."):
		w.called, _, _ = strings.Cut(s, "({")
		if i := strings.LastIndexByte(w.called, '('); i > 0 && w.called[i-1] != '.' {
			w.called = w.called[:i]
		}
	case w.called != "":
		at, _, _ := strings.Cut(strings.TrimSpace(s), " +0x")
		w.place = "in " + w.called + ", " + at
	}
}

// Last returns the last lines; of a panic, what it says, where, and how to keep its trace.
func (w *Lines) Last() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.unread) > 0 {
		w.line(string(w.unread))
		w.unread = w.unread[:0]
	}
	if w.panic != "" {
		said := []string{w.panic}
		if w.place != "" {
			said = append(said, w.place)
		}
		if w.log == nil {
			said = append(said, "SIPC_PLUGIN_LOG=FILE keeps all of it")
		}
		return said
	}
	return append([]string(nil), w.lines...)
}

// outOfMemory tells whether the process said that it got no memory, in the words of its language.
func (w *Lines) outOfMemory() bool {
	lines := strings.ToLower(strings.Join(w.Last(), "\n"))
	for _, said := range []string{"out of memory", "cannot allocate memory", "memoryerror", "bad_alloc"} {
		if strings.Contains(lines, said) {
			return true
		}
	}
	return false
}

// Clip shortens a line and makes it printable.
func Clip(s string) string { return clipTo(lineLength, s) }

func clipTo(most int, s string) string {
	s = printable(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// The bounds of a text that a family means its user to read.
const (
	textLines  = 20
	textLength = 1000 // of a line
)

// ClipText shortens the lines of a text, and makes them printable.
func ClipText(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > textLines {
		lines = append(lines[:textLines], "…")
	}
	for i, line := range lines {
		lines[i] = clipTo(textLength, line)
	}
	return strings.Join(lines, "\n")
}

// printable puts a mark in the place of control characters, which a terminal would obey, and of bytes that are not text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// FirstLine returns the first line of a text, shortened and printable.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return Clip(line)
}
