package verify

// Small are the options with small sizes, so that tests of many families are quick.
func (o Options) Small() Options {
	o.small = true
	return o
}
