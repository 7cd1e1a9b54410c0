package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// Answers keep digests of what processes are asked and answer, so that two runs can be compared. The zero value is empty. Methods may be
// called from several goroutines.
type Answers struct {
	mu  sync.Mutex
	all map[*Process]map[exchange]bool
}

// An exchange is a question with its answer. Asked leaves out the functionals that a map is to move: they may hang on
// earlier answers.
type exchange struct{ asked, question, answer wire.Sum }

// answersKey is that of Answers in a context.
type answersKey struct{}

// Of returns a context in which sessions are opened whose answers are kept.
func (a *Answers) Of(ctx context.Context) context.Context {
	return context.WithValue(ctx, answersKey{}, a)
}

// Digests returns digests of what a process was asked and of what it answered; empty if it was asked nothing. They hang neither on
// the order of the questions nor on how often one was asked.
func (a *Answers) Digests(p *Process) (asked, answered string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all[p]) == 0 {
		return "", ""
	}
	var questions, exchanges []string
	for e := range a.all[p] {
		questions = append(questions, string(e.asked[:]))
		exchanges = append(exchanges, string(e.question[:])+string(e.answer[:]))
	}
	return digestOf(questions), digestOf(exchanges)
}

// digestOf returns the digest of a set.
func digestOf(texts []string) string {
	slices.Sort(texts)
	h := sha256.New()
	for _, t := range slices.Compact(texts) {
		_, _ = h.Write([]byte(t)) // never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// keep adds an exchange.
func (a *Answers) keep(p *Process, e exchange) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[*Process]map[exchange]bool{}
	}
	if a.all[p] == nil {
		a.all[p] = map[exchange]bool{}
	}
	a.all[p][e] = true
}

// expanded keeps the answer to a call of Expand.
func (s *session) expanded(call *plugins.DomainCall, answer *wire.Answer) error {
	if s.answers == nil {
		return nil
	}
	data, err := s.sum()
	if err != nil {
		return err
	}
	question, err := wire.DomainSum(data, call)
	s.answers.keep(s.process, exchange{question, question, answer.Sum()})
	return err
}

// mapped keeps the answer to a call of Map.
func (s *session) mapped(call *plugins.MapCall, b *plugins.Block) error {
	if s.answers == nil {
		return nil
	}
	data, err := s.sum()
	if err != nil {
		return err
	}
	bare := *call
	bare.At = &plugins.Block{}
	asked, err := wire.MapSum(data, &bare)
	if err != nil {
		return err
	}
	question, err := wire.MapSum(data, call)
	answer := &wire.Answer{}
	answer.Block(b)
	s.answers.keep(s.process, exchange{asked, question, answer.Sum()})
	return err
}
