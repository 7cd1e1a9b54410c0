package sipc

import (
	"context"
	"errors"
	"strings"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Inspect says what a data file holds, column by column, and what is odd about it. An empty target is guessed as NewDraft does;
// a profile of a file in which no column can be learnt has none.
func Inspect(ctx context.Context, data, target string) (*dataset.Profile, error) {
	table, err := openData(ctx, data)
	if err != nil {
		return nil, err
	}
	return InspectTable(ctx, table, target)
}

// InspectTable does so for a table.
func InspectTable(ctx context.Context, table *dataset.Table, target string) (*dataset.Profile, error) {
	p, err := dataset.ProfileOf(ctx, table)
	if err != nil {
		return nil, err
	}
	d := newDrafting(table, p)
	if err := d.chooseTarget(target); err != nil {
		if none := new(DraftError); errors.As(err, &none) && target == "" {
			return p, nil
		}
		return nil, err
	}
	aim := dataset.LabelName
	if len(d.aims) > 0 {
		aim = d.aims[0]
	}
	name, _, _ := strings.Cut(d.target, " : ")
	p.Target = &dataset.TargetProfile{Name: name, Task: d.task, Why: d.why}
	if d.task == setting.Multilabel {
		return p, nil
	}
	p.Target.Name, p.Target.Positive = aim, bareTexts([]string{d.positive})[0]
	if d.task != setting.Real {
		p.Target.Classes = dataset.CountsOf(table, aim)
	}
	p.Findings = append(p.Findings, dataset.LeaksOf(table, p, aim)...)
	return p, nil
}
