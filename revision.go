package sipc

import "runtime/debug"

// Revision returns the revision of the program's source in version control, with +dirty if the source had been changed. It is empty where the
// build does not know.
func Revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return revisionOf(info.Settings)
}

func revisionOf(settings []debug.BuildSetting) string {
	var revision, changed string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}
