package verify

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/plugins/host"
)

// mostFindings and mostNotes bound what one check reports: more tells no more.
const mostFindings, mostNotes = 8, 12

// Lines are what a check has to say, each kind of fault or refusal once. A line that differs from another only in its
// numbers is counted there as more of the same.
type lines struct {
	most int
	all  []*line
}

type line struct {
	where string // it was met; may be empty
	text  string
	alike string   // what lines of this kind have in common
	of    string   // the domain or map
	more  int      // how many were met besides
	also  []string // of which other domains and maps
}

var number = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// kind returns what messages of one kind have in common: everything but their numbers, and how often a line comes
// again. A process may say the same at every call, and its last lines hold more or less of that.
func kind(message string) string {
	return strings.Join(slices.Compact(strings.Split(number.ReplaceAllString(message, "#"), "\n")), "\n")
}

// add takes note of a message about a domain or map, in front of which stands where it was met.
func (l *lines) add(of, where, message string) {
	alike := kind(message)
	if i := slices.IndexFunc(l.all, func(one *line) bool { return one.alike == alike }); i >= 0 {
		one := l.all[i]
		if one.where != where || one.text != message {
			one.more++
		}
		if of != one.of && !slices.Contains(one.also, of) {
			one.also = append(one.also, of)
		}
		return
	}
	if len(l.all) < l.most {
		l.all = append(l.all, &line{where: where, text: message, alike: alike, of: of})
	}
}

// texts returns the lines as they are shown.
func (l *lines) texts() []string {
	out := make([]string, len(l.all))
	for i, one := range l.all {
		if out[i] = one.where; one.more > 0 {
			out[i] += fmt.Sprintf(" (and %d more alike", one.more)
			if len(one.also) > 0 {
				out[i] += ", also of " + strings.Join(one.also, ", ")
			}
			out[i] += ")"
		}
		if one.where != "" {
			out[i] += ": "
		}
		out[i] += one.text
	}
	return out
}

// findf reports what is wrong.
func (s *suite) findf(format string, a ...any) {
	s.findings.add("", "", fmt.Sprintf(format, a...))
}

// faultf reports what is wrong with the answers to a subject, asked about such data; on may be empty.
func (s *suite) faultf(of *subject, on, format string, a ...any) {
	s.findings.add(of.name(), of.where(on), fmt.Sprintf(format, a...))
}

// refusal takes note of a call that the family refuses, which is not a fault by itself.
func (s *suite) refusal(of *subject, on string, err error) {
	s.notes.add(of.name(), of.where(on), "it refuses: "+err.Error())
	s.untried.add(of.name(), of.where(""), "it refuses: "+err.Error())
}

// told returns an error whose place is already named. For a fault of the process it says what the process did, and
// its last lines.
func told(err error) string {
	var failed *host.Error
	if !errors.As(err, &failed) {
		return err.Error()
	}
	text := failed.Reason
	if !strings.HasPrefix(failed.During, "in ") { // a domain or map
		text = fmt.Sprintf("it fails %s: %s", failed.During, text)
	}
	if advice := failed.Advice(); advice != "" {
		text += ". " + advice
	}
	if len(failed.Words) > 0 {
		text += "; its last words:\n    " + strings.Join(failed.Words, "\n    ")
	}
	return text
}

// where names a subject, and the data that it was asked about.
func (s *subject) where(on string) string {
	if on != "" {
		on = ", on " + on
	}
	return s.String() + on
}

// notef says what was measured or could not be tried, once. Lines that differ by their numbers stand beside each other.
func (s *suite) notef(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if len(s.notes.all) < s.notes.most && !slices.ContainsFunc(s.notes.all, func(one *line) bool { return one.text == text }) {
		s.notes.all = append(s.notes.all, &line{text: text, alike: text})
	}
}

// failed reports an error: a fault of the family, or an answer that it refuses.
func (s *suite) failed(q *question, on string, err error) {
	if broke(err) {
		s.faultf(q.subject, on, "%s", told(err))
		return
	}
	s.refusal(q.subject, on, err)
}
