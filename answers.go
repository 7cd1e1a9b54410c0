package sipc

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/runtime/report"
)

// answered returns the digests of what the programs of a spec answered.
func (l *launcher) answered(a *host.Answers) (out []report.Family) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.processes {
		asked, answers := a.Digests(p)
		if asked == "" {
			continue
		}
		name, version := p.Name()
		out = append(out, report.Family{Name: name, Version: version, Program: p.Digest(), Asked: asked, Answers: answers})
	}
	return out
}

// otherwise returns the families that answered otherwise in the last run into the folder, where the same program was asked the same.
func (o *outlet) otherwise(families []report.Family) (out []report.Family) {
	if o == nil || len(families) == 0 {
		return nil
	}
	raw, err := limits.Read(filepath.Join(o.dir, metricsFile), limits.MetricsBytes)
	var last struct {
		Families []report.Family `json:"families"`
	}
	if err != nil || json.Unmarshal(raw, &last) != nil {
		return nil // there is no run to compare with
	}
	for _, now := range families {
		for _, before := range last.Families {
			same := now
			same.Answers = before.Answers
			if same == before && now.Answers != before.Answers {
				out = append(out, now)
			}
		}
	}
	return out
}

// unsteady tells of families that answered otherwise in the last run into a folder.
func (l *launcher) unsteady(dir string, families []report.Family) {
	for _, f := range families {
		if l.notice != nil {
			l.notice(fmt.Sprintf("family %s %s answered otherwise than in the last run into %s, though the same program was asked the same; "+
				"sipc plugin verify, on its program, may say where; its author: let answers hang on nothing but the call and the data", f.Name, f.Version, dir))
		}
	}
}
