package host

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"

	"github.com/sipc-ml/sipc/plugins/proto"
)

// The bounds of a process's last words.
const (
	lastLines  = 6
	lineLength = 300
)

// words keeps the last lines that a process writes, and hands all of them to a log.
type words struct {
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

func newWords(name string, log io.Writer) *words {
	return &words{name: name, log: log, room: LogLimit}
}

// Write takes what the process writes. It never fails, as that would stop the process.
func (w *words) Write(p []byte) (int, error) {
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
		w.keep(clip(string(w.unread)))
		w.unread, p = w.unread[:0], rest
	}
}

// LogLimit is how much the log takes of one process, in bytes; a line says that it was cut there.
const LogLimit = 16 << 20

// keep hands a line to the log, as long as there is room.
func (w *words) keep(s string) {
	if w.log == nil || w.room <= 0 {
		return
	}
	s = w.name + ": " + s + "\n"
	if w.room -= int64(len(s)); w.room <= 0 {
		s = fmt.Sprintf("%s: sipc cuts the log of this process here, after %d MiB\n", w.name, LogLimit>>20)
	}
	_, _ = io.WriteString(w.log, s)
}

func (w *words) line(s string) {
	s = clip(strings.TrimRight(s, " \t\r"))
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
func (w *words) trace(s string) {
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

// last is the last lines; of a panic, what it says, where, and how to keep its trace.
func (w *words) last() []string {
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
func (w *words) outOfMemory() bool {
	lines := strings.ToLower(strings.Join(w.last(), "\n"))
	for _, said := range []string{"out of memory", "cannot allocate memory", "memoryerror", "bad_alloc"} {
		if strings.Contains(lines, said) {
			return true
		}
	}
	return false
}

// clip shortens a line and makes it printable.
func clip(s string) string { return clipTo(lineLength, s) }

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

// clipText shortens the lines of a text, and makes them printable.
func clipText(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > textLines {
		lines = append(lines[:textLines], "…")
	}
	for i, line := range lines {
		lines[i] = clipTo(textLength, line)
	}
	return strings.Join(lines, "\n")
}

// printable puts a mark in the place of control characters, which a terminal would obey, and of bytes that are no text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// printableSchema tells of a text in a schema that would steer the terminal on which it is shown.
func printableSchema(s *proto.Schema) error {
	return protorange.Range(s.ProtoReflect(), func(at protopath.Values) error {
		text, ok := at.Index(-1).Value.Interface().(string)
		if ok && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }) {
			return fmt.Errorf("its schema holds control characters in the text %q", clip(text))
		}
		return nil
	})
}
