package reproduce

import "time"

// A clock counts the units of the work, each once however many contenders share it, and estimates the time of those to come. That is the
// mean of the units done of the same cell, contender and kind. Without such it is that of the same contender and kind in the table, or of all.
type clock struct {
	total, done int
	known       map[string]bool // by name: whether the unit is still to come
	waiting     map[[4]string]int
	spent       map[[4]string]span
}

// A span is the seconds of some units.
type span struct {
	count   int
	seconds float64
}

// keys returns the keys under which a unit's time is kept, from the narrowest to the widest.
func keys(u *Unit) [][4]string {
	table, kind := string(u.Cell.Table), string(u.Kind)
	return [][4]string{{table, u.Cell.Name(), u.Contender.Name, kind}, {table, "", u.Contender.Name, kind}, {}}
}

// expect counts a unit to come.
func (c *clock) expect(u *Unit) {
	if c.known == nil {
		c.known, c.waiting, c.spent = map[string]bool{}, map[[4]string]int{}, map[[4]string]span{}
	}
	name := u.Name()
	if _, ok := c.known[name]; ok {
		return
	}
	c.known[name] = true
	c.total++
	c.waiting[keys(u)[0]]++
}

// took counts a unit that is done.
func (c *clock) took(u *Unit, seconds float64) {
	name := u.Name()
	if !c.known[name] {
		return
	}
	c.known[name] = false
	c.done++
	c.waiting[keys(u)[0]]--
	for _, key := range keys(u) {
		s := c.spent[key]
		c.spent[key] = span{s.count + 1, s.seconds + seconds}
	}
}

// left estimates the time of the units to come.
func (c *clock) left() time.Duration {
	var seconds float64
	for key, count := range c.waiting {
		for _, wider := range [][4]string{key, {key[0], "", key[2], key[3]}, {}} {
			if s := c.spent[wider]; s.count > 0 {
				seconds += float64(count) * s.seconds / float64(s.count)
				break
			}
		}
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}
