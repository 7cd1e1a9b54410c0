package dataset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Functions returns how many functions of a row are learnt: one for each class or label, else one.
func (p *TargetPlan) Functions() int {
	if p.Task.Joint() {
		return len(p.LabelNames)
	}
	return 1
}

// suits reports whether a target may have so many labels.
func (p *TargetPlan) suits(labels int) bool {
	switch {
	case p.Task == setting.Binary:
		return labels == 2
	case p.Task.Joint():
		return labels > 0
	}
	return labels == 0
}

// check returns what is wrong with a target that was read from elsewhere.
func (p *TargetPlan) check() error {
	tasks := []setting.Task{setting.Binary, setting.Class, setting.Real, setting.Counts, setting.Quantiles, setting.Multilabel}
	if !slices.Contains(tasks, p.Task) {
		return fmt.Errorf("target: the task %q is none of %q", p.Task, tasks)
	}
	if n := len(p.LabelNames); len(p.LabelIDs) != n || !p.suits(n) {
		return fmt.Errorf("target: %d names of %d labels do not suit a %s target", n, len(p.LabelIDs), p.Task)
	}
	if p.Task == setting.Quantiles && (setting.CheckLevels(p.Levels) != nil || !slices.Equal(p.LabelNames, setting.LevelNames(p.Levels))) {
		return fmt.Errorf("target: the levels %v called %q are none of quantiles", p.Levels, p.LabelNames)
	}
	if n := len(p.Columns); p.Task != setting.Multilabel && n > 1 || p.Task == setting.Multilabel && n > 0 && n != len(p.LabelIDs) {
		return fmt.Errorf("target: %d columns do not suit a %s target of %d labels", n, p.Task, len(p.LabelIDs))
	}
	return nil
}

// check returns what is wrong with a feature that was read from elsewhere.
func (f *Feature) check() error {
	switch {
	case f.Text && (len(f.Categories) == 0 || len(f.masks()) > 0 || f.FillText != "" && !slices.Contains(f.Categories, f.FillText)):
		return fmt.Errorf("feature %q: a text needs categories, and has no mask", f.Name)
	case f.Weights != nil && (!f.Text || len(f.Weights) != len(f.Categories) || !slices.IsSorted(f.Categories)):
		return fmt.Errorf("feature %q: %d weights of %d words", f.Name, len(f.Weights), len(f.Categories))
	case !f.Text && (len(f.Categories) > 0 || f.Scale == 0 || !(f.Deviation >= 0) || !(f.Low <= f.High)):
		return fmt.Errorf("feature %q: a number from %v to %v with the scale %v and %d categories", f.Name, f.Low, f.High, f.Scale, len(f.Categories))
	}
	return nil
}

// checkChoices returns an error for a word that the language does not have.
func checkChoices(p *Preparation) error {
	missing := setting.Treatments()
	if !slices.Contains(missing, p.Missing) {
		return fmt.Errorf("missing %q is none of %q", p.Missing, missing)
	}
	outside := []setting.Outside{"", setting.OutsideWarn, setting.OutsideClip, setting.OutsideRefuse}
	if !slices.Contains(outside, p.Outside) {
		return fmt.Errorf("outside %q is none of %q", p.Outside, outside)
	}
	if err := p.Writing.check(); err != nil {
		return err
	}
	return checkOthers(p)
}

// Check returns what is wrong with a preparation that was read from elsewhere, as Apply takes it for sound. Nil means nothing.
func (p *Preparation) Check() error {
	if err := p.Target.check(); err != nil {
		return err
	}
	if err := checkChoices(p); err != nil {
		return err
	}
	for i := range p.Features {
		for _, code := range p.Features[i].Codes {
			if !slices.Contains(p.Gaps, code) {
				return fmt.Errorf("feature %q: %v is not among the codes of gaps", p.Features[i].Name, code)
			}
		}
	}
	if len(p.Features) == 0 {
		return errors.New("there are no features")
	}
	if n := len(p.Features); p.Height < 0 || p.Width < 0 || (p.Height == 0) != (p.Width == 0) || p.Height > 0 && (p.Height > n || p.Width > n || p.Height*p.Width != n) {
		return fmt.Errorf("images of %d×%d with %d features", p.Height, p.Width, n)
	}
	for i := range p.Features {
		if err := p.Features[i].check(); err != nil {
			return err
		}
	}
	return nil
}
