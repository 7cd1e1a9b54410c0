package sdk

// endGroup does nothing: the host ends what the process started, by the job object that it put it into.
func endGroup() {}
