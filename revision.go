package sipc

import "runtime/debug"

// dirty stands behind the revision of a source that was changed.
const dirty = "+dirty"

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
	var revision, mark string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			mark = dirty
		}
	}
	if revision == "" {
		return ""
	}
	return revision + mark
}
