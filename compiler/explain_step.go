package compiler

// JSON is the proof in the form that explain --json has.
func (s *Step) JSON() StepJSON { return s.json() }
